// FunctionRef: a non-owning reference to a callable, for parameters only. No allocation.
#ifndef OCTAVO_BASE_FUNCTION_REF_H_
#define OCTAVO_BASE_FUNCTION_REF_H_

#include <memory>
#include <type_traits>
#include <utility>

namespace octavo {

template <typename Signature>
class FunctionRef;

// The callable must outlive the FunctionRef.
template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>>>
  FunctionRef(F&& f)  // NOLINT(google-explicit-constructor): implicit by design, as a parameter.
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace octavo

#endif  // OCTAVO_BASE_FUNCTION_REF_H_
