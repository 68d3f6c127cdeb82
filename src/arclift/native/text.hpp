// Bytes of a treebank: where tabs and line ends stand, and whether the text is UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cpu.hpp"

namespace arclift {

inline int trailing_zeros(std::uint64_t mask) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index;
    _BitScanForward64(&index, mask);
    return static_cast<int>(index);
#else
    return __builtin_ctzll(mask);
#endif
}

inline std::uint32_t* emit_bits(std::uint64_t mask, std::size_t base, std::uint32_t* out) {
    while (mask) {
        *out++ = static_cast<std::uint32_t>(base + static_cast<std::size_t>(trailing_zeros(mask)));
        mask &= mask - 1;
    }
    return out;
}

inline std::uint32_t* separators_baseline(const char* p, std::size_t i, std::size_t n, std::uint32_t* out) {
    for (; i < n; ++i)
        if (p[i] == '\t' || p[i] == '\n') *out++ = static_cast<std::uint32_t>(i);
    return out;
}

#if ARCLIFT_X86
ARCLIFT_TARGET("avx2")
inline std::uint32_t* separators_avx2(const char* p, std::size_t i, std::size_t n, std::uint32_t* out) {
    const __m256i tab = _mm256_set1_epi8('\t'), newline = _mm256_set1_epi8('\n');
    for (; i + 32 <= n; i += 32) {
        const __m256i chunk = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + i));
        const __m256i hit = _mm256_or_si256(_mm256_cmpeq_epi8(chunk, tab), _mm256_cmpeq_epi8(chunk, newline));
        out = emit_bits(static_cast<std::uint32_t>(_mm256_movemask_epi8(hit)), i, out);
    }
    return separators_baseline(p, i, n, out);
}

ARCLIFT_TARGET("avx512f,avx512bw")
inline std::uint32_t* separators_avx512(const char* p, std::size_t i, std::size_t n, std::uint32_t* out) {
    const __m512i tab = _mm512_set1_epi8('\t'), newline = _mm512_set1_epi8('\n');
    for (; i + 64 <= n; i += 64) {
        const __m512i chunk = _mm512_loadu_si512(p + i);
        const std::uint64_t hit =
            _mm512_cmpeq_epi8_mask(chunk, tab) | _mm512_cmpeq_epi8_mask(chunk, newline);
        out = emit_bits(hit, i, out);
    }
    return separators_baseline(p, i, n, out);
}
#endif

// Positions of all tabs and newlines in p[0, n) and, where the last line has no newline, n itself.
inline void find_separators(const char* p, std::size_t n, std::vector<std::uint32_t>& positions) {
    if (positions.size() < n + 1) positions.resize(n + 1);
    std::uint32_t* out = positions.data();
#if ARCLIFT_X86
    switch (cpu()) {
        case Cpu::vnni:
        case Cpu::avx512: out = separators_avx512(p, 0, n, out); break;
        case Cpu::avx2: out = separators_avx2(p, 0, n, out); break;
        default: out = separators_baseline(p, 0, n, out);
    }
#else
    out = separators_baseline(p, 0, n, out);
#endif
    if (n && p[n - 1] != '\n') *out++ = static_cast<std::uint32_t>(n);
    positions.resize(static_cast<std::size_t>(out - positions.data()));
}

// The first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates), or n.
inline std::size_t first_invalid_utf8(const char* text, std::size_t n) {
    const auto* p = reinterpret_cast<const unsigned char*>(text);
    std::size_t i = 0;
    const auto follows = [&](std::size_t k) { return i + k < n && (p[i + k] & 0xC0) == 0x80; };
    while (i < n) {
        if (i + 8 <= n) {
            std::uint64_t word;
            std::memcpy(&word, p + i, 8);
            if (!(word & 0x8080808080808080ull)) {
                i += 8;
                continue;
            }
        }
        const unsigned char c = p[i];
        if (c < 0x80) {
            ++i;
        } else if (c >= 0xC2 && c <= 0xDF) {
            if (!follows(1)) return i;
            i += 2;
        } else if ((c & 0xF0) == 0xE0) {
            if (!follows(1) || !follows(2)) return i;
            if ((c == 0xE0 && p[i + 1] < 0xA0) || (c == 0xED && p[i + 1] > 0x9F)) return i;
            i += 3;
        } else if (c >= 0xF0 && c <= 0xF4) {
            if (!follows(1) || !follows(2) || !follows(3)) return i;
            if ((c == 0xF0 && p[i + 1] < 0x90) || (c == 0xF4 && p[i + 1] > 0x8F)) return i;
            i += 4;
        } else {
            return i;
        }
    }
    return n;
}

}  // namespace arclift
