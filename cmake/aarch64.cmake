# Cross build for arm64 with Debian's g++-aarch64-linux-gnu; tests run under qemu-user.
# tools/arm64_root fetches the libraries into build/arm64-root first.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

get_filename_component(arm64_root "${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root" ABSOLUTE)
set(arm64_libraries "${arm64_root}/usr/lib/aarch64-linux-gnu")
set(CMAKE_FIND_ROOT_PATH "${arm64_root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Debian keeps generated headers such as jconfig.h per architecture.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES
  "${arm64_root}/usr/include" "${arm64_root}/usr/include/aarch64-linux-gnu")
# Libraries that our libraries need in turn.
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "\"-Wl,-rpath-link,${arm64_libraries}:${arm64_root}/lib/aarch64-linux-gnu\"")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu
  -E "LD_LIBRARY_PATH=${arm64_libraries}:${arm64_root}/lib/aarch64-linux-gnu")
