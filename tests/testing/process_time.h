// Processor time, which tells whether anything goes on.
#ifndef OCTAVO_TESTS_TESTING_PROCESS_TIME_H_
#define OCTAVO_TESTS_TESTING_PROCESS_TIME_H_

#include <ctime>

namespace octavo::testing {

// Seconds that all threads of this process have taken.
inline double ProcessSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_PROCESS_TIME_H_
