// Flags of the commands about models.
#ifndef OCTAVO_CLI_ARGS_MODELS_H_
#define OCTAVO_CLI_ARGS_MODELS_H_

#include <string>

#include "cli/cmd_bench.h"
#include "cli/cmd_convert.h"
#include "cli/cmd_inspect.h"
#include "cli/cmd_quantize.h"

namespace CLI {
class App;
}

namespace octavo {

void AddInspect(CLI::App* root, InspectOptions* options);
// image: WIDTHxHEIGHT.
void AddBench(CLI::App* root, std::string* image, BenchOptions* options);
void AddConvert(CLI::App* root, ConvertOptions* options);
void AddQuantize(CLI::App* root, QuantizeOptions* options);

}  // namespace octavo

#endif  // OCTAVO_CLI_ARGS_MODELS_H_
