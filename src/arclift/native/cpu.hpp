// Which instruction set this machine has: wheels are built for the oldest, wider loops are chosen at run time.
#pragma once

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__) || defined(_M_X64)
#define ARCLIFT_X86 1
#include <immintrin.h>
#ifdef _MSC_VER
#include <intrin.h>
#define ARCLIFT_TARGET(isa)
#else
#define ARCLIFT_TARGET(isa) __attribute__((target(isa)))
#endif
#else
#define ARCLIFT_X86 0
#define ARCLIFT_TARGET(isa)
#endif

// Multiplication of tiles of bytes: the compiler must know it, and Linux wants to be asked.
#if ARCLIFT_X86 && defined(__linux__) && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)
#define ARCLIFT_AMX 1
#include <sys/syscall.h>
#include <unistd.h>
#else
#define ARCLIFT_AMX 0
#endif

namespace arclift {

enum class Cpu { baseline = 0, avx2 = 1, avx512 = 2, vnni = 3, amx = 4 };

#if ARCLIFT_AMX
inline bool tiles_allowed() {
    constexpr long ask = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    unsigned a, b, c, d = 0;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
    const bool has_tiles = (d & (1u << 24)) && (d & (1u << 25));  // amx-tile, amx-int8
    return has_tiles && syscall(SYS_arch_prctl, ask, tile_data) == 0;
}
#else
inline bool tiles_allowed() { return false; }
#endif

inline Cpu detect_cpu() {
#if ARCLIFT_X86 && defined(_MSC_VER)
    int leaf1[4], leaf7[4];
    __cpuid(leaf1, 1);
    const bool os_saves_vectors = (leaf1[2] & (1 << 27)) != 0;
    if (!os_saves_vectors) return Cpu::baseline;
    const unsigned long long state = _xgetbv(0);
    __cpuidex(leaf7, 7, 0);
    const bool avx512 = (leaf7[1] & (1 << 16)) && (leaf7[1] & (1 << 30)) && (state & 0xE6) == 0xE6;
    const bool avx2 = (leaf7[1] & (1 << 5)) && (state & 0x6) == 0x6;
    if (avx512 && (leaf7[2] & (1 << 11))) return Cpu::vnni;
    return avx512 ? Cpu::avx512 : avx2 ? Cpu::avx2 : Cpu::baseline;
#elif ARCLIFT_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        return !__builtin_cpu_supports("avx512vnni") ? Cpu::avx512 : tiles_allowed() ? Cpu::amx : Cpu::vnni;
    if (__builtin_cpu_supports("avx2")) return Cpu::avx2;
    return Cpu::baseline;
#else
    return Cpu::baseline;
#endif
}

// ARCLIFT_CPU can only lower what the machine has: for tests and measurements.
inline Cpu cpu() {
    static const Cpu chosen = [] {
        const Cpu found = detect_cpu();
        const char* wish = std::getenv("ARCLIFT_CPU");
        if (!wish) return found;
        Cpu asked = found;
        if (!std::strcmp(wish, "baseline")) asked = Cpu::baseline;
        if (!std::strcmp(wish, "avx2")) asked = Cpu::avx2;
        if (!std::strcmp(wish, "avx512")) asked = Cpu::avx512;
        if (!std::strcmp(wish, "vnni")) asked = Cpu::vnni;
        return asked < found ? asked : found;
    }();
    return chosen;
}

inline const char* cpu_name() {
    switch (cpu()) {
        case Cpu::amx: return "amx";
        case Cpu::vnni: return "vnni";
        case Cpu::avx512: return "avx512";
        case Cpu::avx2: return "avx2";
        default: return "baseline";
    }
}

}  // namespace arclift
