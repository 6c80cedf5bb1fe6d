//! Calling machine code, and code that the compiler made for a processor of which it
//! isn't known that it is there. The only module with unsafe code.
//!
//! What makes it sound:
//! 1. [`Code`] is made by [`Code::new`] only, from what `emit` encodes: loads,
//!    stores and arithmetic on vector registers, forward jumps within the code,
//!    arithmetic on masks, `vzeroupper`, `ret`. It has no other memory operands
//!    than vectors of the frame and the two masks.
//! 2. All vectors that it touches are below `vectors`: `emit` counts them where it
//!    makes the operands. [`Code::run`] checks that the frame has as many, of the
//!    right width. The frame is borrowed mutably meanwhile.
//! 3. The registers it changes are those that a callee may change (System V), and
//!    it touches no stack.
//! 4. The processor has the instruction set: [`Code::new`] and [`Simd::new`] ask it,
//!    and a vector of `x86` is made by what `Simd` calls or from another vector.
//! 5. The code is copied before the memory is made executable and never written
//!    afterwards; it lives as long as the `Code`.
//!
//! Machines of every length of vector run under two judges in a minute. Under
//! AddressSanitizer, which sees all but the JIT's code, with AVX2 and AVX-512:
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test -p lockstep-rtl \
//!     --target x86_64-unknown-linux-gnu --test circuits a_few_machines
//! ```
//!
//! Under valgrind, which sees that code too but knows no AVX-512:
//!
//! ```text
//! CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='valgrind -q --error-exitcode=1' \
//!     cargo test -p lockstep-rtl --test circuits a_few_machines
//! ```
//!
//! Miri runs no machine code.

use super::super::frame::Frame;
use super::super::LanesError;
use super::emit::Emitted;
use super::vector::{Plain, Work};
use super::Isa;
use memmap2::{Mmap, MmapMut};

/// Executable code that works on a frame.
#[derive(Debug)]
pub struct Code {
    memory: Mmap,
    vectors: usize,
    width: usize,
}

impl Isa {
    /// Whether this processor has it.
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
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            false
        }
    }
}

impl Code {
    /// Of what was emitted for this instruction set.
    pub(super) fn new(emitted: &Emitted, isa: Isa) -> Result<Self, LanesError> {
        if !isa.is_available() {
            return Err(LanesError::Backend("this machine"));
        }
        let no_memory = |error: std::io::Error| LanesError::CodeMemory(error.to_string());
        let mut memory = MmapMut::map_anon(emitted.bytes.len()).map_err(no_memory)?;
        memory.copy_from_slice(&emitted.bytes);
        Ok(Code {
            memory: memory.make_exec().map_err(no_memory)?,
            vectors: emitted.vectors,
            width: isa.width(),
        })
    }

    /// Vectors that the frame must have at least.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Runs on a frame; for the masks see `emit`.
    ///
    /// # Panics
    /// If the frame is too small, or its vectors have another width.
    #[inline]
    pub fn run(&self, frame: &mut Frame, masks: &mut [u64; 2]) {
        assert!(frame.vectors() >= self.vectors, "a larger frame");
        assert_eq!(frame.width(), self.width, "as wide as the code's vectors");
        #[cfg(target_arch = "x86_64")]
        {
            type Function = unsafe extern "sysv64" fn(*mut u64, *mut u64);
            let start = self.memory.as_ptr();
            // SAFETY: invariants 1, 4 and 5: the bytes are a function of this type
            // for this processor.
            let function = unsafe { std::mem::transmute::<*const u8, Function>(start) };
            // SAFETY: invariants 1 to 3; the checks above are those of 2.
            unsafe { function(frame.words_mut().as_mut_ptr(), masks.as_mut_ptr()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            unreachable!("`new` has refused")
        }
    }
}

/// The vectors for what works on frames word by word.
#[derive(Clone, Copy, Debug)]
pub struct Simd {
    /// One that this processor has.
    isa: Option<Isa>,
    /// Words in a vector.
    width: usize,
}

impl Simd {
    /// Those of an instruction set, as far as this processor has it.
    pub fn new(isa: Option<Isa>, width: usize) -> Self {
        let isa = isa.filter(|isa| isa.is_available() && isa.width() == width);
        Simd { isa, width }
    }

    /// Does something, compiled for these vectors.
    #[inline(always)]
    pub fn run<T: Work>(self, work: T) -> T::Result {
        #[cfg(target_arch = "x86_64")]
        if let Some(isa) = self.isa {
            // SAFETY: invariant 4, of which `isa` is the proof.
            return unsafe {
                match isa {
                    Isa::Avx2 => x86::avx2(work),
                    Isa::Avx512Quarter => x86::avx512_quarter(work),
                    Isa::Avx512Half => x86::avx512_half(work),
                    Isa::Avx512 => x86::avx512(work),
                }
            };
        }
        match self.width {
            2 => work.run(Plain([0; 2])),
            4 => work.run(Plain([0; 4])),
            _ => work.run(Plain([0; 8])),
        }
    }
}

/// Vectors of x86-64. Such a vector is made from another one, and the first in a
/// function whose caller knows that the processor has the instructions.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::vector::{Vector, Work};
    use std::arch::x86_64::*;
    use std::mem::transmute;

    macro_rules! vector {
        ($name:ident, $raw:ty, $words:literal, $and:ident, $or:ident, $xor:ident,
         $up:ident, $down:ident, $splat:ident) => {
            #[derive(Clone, Copy)]
            pub struct $name($raw);

            impl Vector<$words> for $name {
                #[inline(always)]
                fn load(self, words: &[u64; $words]) -> Self {
                    // SAFETY: both are bits without meaning, equally many.
                    $name(unsafe { transmute::<[u64; $words], $raw>(*words) })
                }

                #[inline(always)]
                fn store(self, words: &mut [u64; $words]) {
                    // SAFETY: as above.
                    *words = unsafe { transmute::<$raw, [u64; $words]>(self.0) };
                }

                #[inline(always)]
                fn and(self, other: Self) -> Self {
                    // SAFETY: invariant 4, of which `self` is the proof.
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
        _mm_set1_epi64x
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
        _mm256_set1_epi64x
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
        _mm512_set1_epi64
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
