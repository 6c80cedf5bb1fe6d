//! Calls machine code, and compiled code for instruction sets that the processor may lack. All
//! unsafe code of the crate is in this module and in `executable`.
//!
//! Soundness rests on these invariants:
//! 1. Only [`MachineCode::new`] makes a [`MachineCode`], from the encodings of `x86` and `aarch64`.
//!    These are loads, stores and arithmetic on vector registers, forward jumps within the code,
//!    arithmetic on masks, `vzeroupper` and `ret`. The only memory operands are vectors of the
//!    frame, the two masks, and on AArch64 the saved registers.
//! 2. All vectors that the code touches are below `vectors`. `x86` and `aarch64` count them where
//!    they make the operands. [`MachineCode::run`] checks that the frame has at least that many of the right width. The
//!    frame is borrowed mutably during the call.
//! 3. The code changes only registers that a callee may change, and does not touch the stack. On
//!    AArch64 it saves the lower halves of `v8` to `v15` on the stack and restores them.
//! 4. The processor has the instruction set. [`MachineCode::new`] and [`Simd::new`] check it. A vector of
//!    `x86` is created only in functions that `Simd` calls, or from another vector.
//! 5. The code is copied before it can be executed and is never written afterwards (`executable`).
//!    The memory lives as long as the `MachineCode`.
//!
//! Machines of every vector length run under two memory checkers in a minute. AddressSanitizer
//! checks everything except the JIT's code, with AVX2 and AVX-512:
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test -p lockstep-rtl \
//!     --target x86_64-unknown-linux-gnu --test circuits every_vector_length
//! ```
//!
//! Valgrind also checks the JIT's code, but does not support AVX-512:
//!
//! ```text
//! CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='valgrind -q --error-exitcode=1' \
//!     cargo test -p lockstep-rtl --test circuits every_vector_length
//! ```
//!
//! Miri runs no machine code.

use super::super::frame::ChunkFrame;
use super::super::LanesError;
use super::{Emitted, Isa, PortableVector, Work};
use executable::ExecutableMemory;

mod executable;

/// Executable code that operates on a frame.
#[derive(Debug)]
pub struct MachineCode {
    memory: ExecutableMemory,
    vectors: usize,
    width: usize,
}

impl Isa {
    /// Returns true if this processor has the instruction set.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            match self {
                Isa::Avx2 => has!("avx2"),
                Isa::Avx512Quarter | Isa::Avx512Half | Isa::Avx512 => {
                    let (f, bw) = (has!("avx512f"), has!("avx512bw"));
                    f && bw && has!("avx512dq") && has!("avx512vl")
                }
                Isa::Neon | Isa::NeonSha3 => false,
            }
        }
        // On other systems a program cannot synchronise the caches in this way.
        #[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "macos")))]
        {
            match self {
                Isa::Neon => true,
                Isa::NeonSha3 => std::arch::is_aarch64_feature_detected!("sha3"),
                _ => false,
            }
        }
        #[cfg(not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", any(target_os = "linux", target_os = "macos"))
        )))]
        {
            false
        }
    }
}

impl MachineCode {
    /// Makes executable code from emitted bytes for this instruction set.
    pub(super) fn new(emitted: &Emitted, isa: Isa) -> Result<Self, LanesError> {
        if !isa.is_available() {
            return Err(LanesError::Backend("this machine"));
        }
        let no_memory = |error: std::io::Error| LanesError::CodeMemory(error.to_string());
        Ok(MachineCode {
            memory: ExecutableMemory::new(&emitted.bytes).map_err(no_memory)?,
            vectors: emitted.vectors,
            width: isa.width(),
        })
    }

    /// Returns the minimum number of vectors in the frame.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Runs the code on a frame. `x86` documents the masks.
    ///
    /// # Panics
    /// If the frame is too small, or if its vectors have another width.
    #[inline]
    pub fn run(&self, frame: &mut ChunkFrame, masks: &mut [u64; 2]) {
        assert!(frame.vectors() >= self.vectors, "a larger frame");
        assert_eq!(frame.width(), self.width, "as wide as the code's vectors");
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        {
            #[cfg(target_arch = "x86_64")]
            type Function = unsafe extern "sysv64" fn(*mut u64, *mut u64);
            #[cfg(target_arch = "aarch64")]
            type Function = unsafe extern "C" fn(*mut u64, *mut u64);
            let start = self.memory.as_ptr();
            // SAFETY: by invariants 1, 4 and 5 the bytes are a function of this type for this
            // processor.
            let function = unsafe { std::mem::transmute::<*const u8, Function>(start) };
            // SAFETY: invariants 1 to 3. The checks above are those of invariant 2.
            unsafe { function(frame.words_mut().as_mut_ptr(), masks.as_mut_ptr()) }
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            unreachable!("`new` has refused")
        }
    }
}

/// Vector operations for code that processes frames word by word.
#[derive(Clone, Copy, Debug)]
pub struct Simd {
    /// Instruction set that this processor has. The compiler uses NEON by itself.
    #[cfg(target_arch = "x86_64")]
    isa: Option<Isa>,
    /// Number of words in a vector.
    width: usize,
}

impl Simd {
    /// Selects an instruction set if this processor has it and its vectors have this width.
    pub fn new(isa: Option<Isa>, width: usize) -> Self {
        #[cfg(not(target_arch = "x86_64"))]
        let _ = isa;
        Simd {
            #[cfg(target_arch = "x86_64")]
            isa: isa.filter(|isa| isa.is_available() && isa.width() == width),
            width,
        }
    }

    /// Performs work compiled for these vectors.
    #[inline(always)]
    pub fn run<T: Work>(self, work: T) -> T::Result {
        #[cfg(target_arch = "x86_64")]
        if let Some(isa) = self.isa {
            // SAFETY: invariant 4, which `isa` proves.
            return unsafe {
                match isa {
                    Isa::Avx2 => x86::avx2(work),
                    Isa::Avx512Quarter => x86::avx512_quarter(work),
                    Isa::Avx512Half => x86::avx512_half(work),
                    Isa::Avx512 => x86::avx512(work),
                    Isa::Neon | Isa::NeonSha3 => unreachable!("x86-64 has none of them"),
                }
            };
        }
        match self.width {
            2 => work.run(PortableVector([0; 2])),
            4 => work.run(PortableVector([0; 4])),
            _ => work.run(PortableVector([0; 8])),
        }
    }
}

/// Vectors of x86-64. Such a vector is made from another vector. The first one is made in a
/// function whose caller has checked the instruction set.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::lanes::jit::{Vector, Work};
    use std::arch::x86_64::*;
    use std::mem::transmute;

    macro_rules! vector {
        ($name:ident, $raw:ty, $words:literal, $and:ident, $or:ident, $xor:ident,
         $up:ident, $down:ident, $splat:ident, $test:ident, $if_zero:literal) => {
            #[derive(Clone, Copy)]
            pub struct $name($raw);

            impl Vector<$words> for $name {
                #[inline(always)]
                fn load(self, words: &[u64; $words]) -> Self {
                    // SAFETY: both types are plain bits of the same size.
                    $name(unsafe { transmute::<[u64; $words], $raw>(*words) })
                }

                #[inline(always)]
                fn store(self, words: &mut [u64; $words]) {
                    // SAFETY: as above.
                    *words = unsafe { transmute::<$raw, [u64; $words]>(self.0) };
                }

                #[inline(always)]
                fn and(self, other: Self) -> Self {
                    // SAFETY: invariant 4, which `self` proves.
                    $name(unsafe { $and(self.0, other.0) })
                }

                #[inline(always)]
                fn or(self, other: Self) -> Self {
                    // SAFETY: as above.
                    $name(unsafe { $or(self.0, other.0) })
                }

                #[inline(always)]
                fn xor(self, other: Self) -> Self {
                    // SAFETY: as above.
                    $name(unsafe { $xor(self.0, other.0) })
                }

                #[inline(always)]
                fn up(self, by: u32) -> Self {
                    // SAFETY: as above.
                    $name(unsafe { $up(self.0, $splat(by.into())) })
                }

                #[inline(always)]
                fn down(self, by: u32) -> Self {
                    // SAFETY: as above.
                    $name(unsafe { $down(self.0, $splat(by.into())) })
                }

                #[inline(always)]
                fn is_zero(self) -> bool {
                    // SAFETY: as above.
                    unsafe { $test(self.0, self.0) == $if_zero }
                }
            }
        };
    }

    vector!(
        Xmm,
        __m128i,
        2,
        _mm_and_si128,
        _mm_or_si128,
        _mm_xor_si128,
        _mm_sllv_epi64,
        _mm_srlv_epi64,
        _mm_set1_epi64x,
        _mm_testz_si128,
        1
    );
    vector!(
        Ymm,
        __m256i,
        4,
        _mm256_and_si256,
        _mm256_or_si256,
        _mm256_xor_si256,
        _mm256_sllv_epi64,
        _mm256_srlv_epi64,
        _mm256_set1_epi64x,
        _mm256_testz_si256,
        1
    );
    vector!(
        Zmm,
        __m512i,
        8,
        _mm512_and_si512,
        _mm512_or_si512,
        _mm512_xor_si512,
        _mm512_sllv_epi64,
        _mm512_srlv_epi64,
        _mm512_set1_epi64,
        _mm512_test_epi64_mask,
        0
    );

    #[target_feature(enable = "avx2")]
    pub fn avx2<T: Work>(work: T) -> T::Result {
        work.run(Ymm(_mm256_setzero_si256()))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn avx512_quarter<T: Work>(work: T) -> T::Result {
        work.run(Xmm(_mm_setzero_si128()))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn avx512_half<T: Work>(work: T) -> T::Result {
        work.run(Ymm(_mm256_setzero_si256()))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn avx512<T: Work>(work: T) -> T::Result {
        work.run(Zmm(_mm512_setzero_si512()))
    }
}
