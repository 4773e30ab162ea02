// The engine behind include/octavo/engine.h, made of parts that a test may choose.
#ifndef OCTAVO_ENGINE_ENGINE_H_
#define OCTAVO_ENGINE_ENGINE_H_

#include <memory>

#include "engine/engine_loop.h"
#include "formats/checkpoint.h"
#include "kernels/kernel_table.h"
#include "octavo/engine.h"

namespace octavo {

// As Engine::Load, with an opened checkpoint (options.model_dir is only shown) and a kernel table,
// which outlives the engine. Nothing of the checkpoint is kept. turn_seconds: EngineLoop's.
std::unique_ptr<Engine> MakeEngine(const Checkpoint& checkpoint, const EngineOptions& options,
                                   const KernelTable& kernels, double turn_seconds = kTurnSeconds);

}  // namespace octavo

#endif  // OCTAVO_ENGINE_ENGINE_H_
