//! Memory for machine code: written once, then executable and never written again.
//!
//! AArch64 does not keep its instruction cache consistent with written data. The caches are
//! synchronised after the code is written, before any thread can call it.
//!
//! macOS on Apple processors makes no page executable after it was written. Such memory is mapped
//! with `MAP_JIT`, and `pthread_jit_write_protect_np` switches between writing and execution for
//! the calling thread. This part is compiled for its target only and has never run.

pub use imp::ExecutableMemory;

#[cfg(not(all(target_os = "macos", target_arch = "aarch64")))]
mod imp {
    use memmap2::{Mmap, MmapMut};

    #[derive(Debug)]
    pub struct ExecutableMemory(Mmap);

    impl ExecutableMemory {
        pub fn new(code: &[u8]) -> std::io::Result<Self> {
            let mut memory = MmapMut::map_anon(code.len())?;
            memory.copy_from_slice(code);
            #[cfg(target_arch = "aarch64")]
            synchronise(&memory);
            Ok(ExecutableMemory(memory.make_exec()?))
        }

        pub fn as_ptr(&self) -> *const u8 {
            self.0.as_ptr()
        }
    }

    /// Makes written code visible to instruction fetch, as the Arm Architecture Reference Manual
    /// prescribes (DDI 0487, section B2.4.4): clean the data cache to the point of unification,
    /// then invalidate the instruction cache. All processors of the inner shareable domain follow.
    #[cfg(target_arch = "aarch64")]
    fn synchronise(code: &[u8]) {
        use std::arch::asm;
        let types: u64;
        // SAFETY: Linux lets programs read this register, and emulates it where lines differ.
        unsafe {
            asm!("mrs {}, ctr_el0", out(reg) types, options(nomem, nostack, preserves_flags))
        };
        // Logarithms of the smallest lines, in words of four bytes.
        let (data, instruction) = (4usize << (types >> 16 & 15), 4usize << (types & 15));
        let range = code.as_ptr_range();
        let lines =
            |size: usize| (range.start as usize & !(size - 1)..range.end as usize).step_by(size);
        for line in lines(data) {
            // SAFETY: the line holds a part of `code`. The instruction does not change its content.
            unsafe { asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
        }
        // SAFETY: a barrier.
        unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
        for line in lines(instruction) {
            // SAFETY: as above.
            unsafe { asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
        }
        // SAFETY: barriers.
        unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
    }
}

#[cfg(all(target_os = "macos", target_arch = "aarch64"))]
mod imp {
    use std::io::Error;
    use std::ptr::null_mut;

    extern "C" {
        fn sys_icache_invalidate(start: *mut libc::c_void, length: usize);
    }

    #[derive(Debug)]
    pub struct ExecutableMemory {
        start: *mut libc::c_void,
        length: usize,
    }

    // SAFETY: the memory is not written after `new`, and any thread may execute it.
    unsafe impl Send for ExecutableMemory {}
    // SAFETY: as above.
    unsafe impl Sync for ExecutableMemory {}

    impl ExecutableMemory {
        pub fn new(code: &[u8]) -> std::io::Result<Self> {
            let access = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_JIT;
            // SAFETY: a new mapping at an address that the system chooses.
            let start = unsafe { libc::mmap(null_mut(), code.len(), access, kind, -1, 0) };
            if start == libc::MAP_FAILED {
                return Err(Error::last_os_error());
            }
            let length = code.len();
            // SAFETY: the mapping has `length` bytes, which this thread may write between the two
            // calls. It executes no other memory of this kind in between.
            unsafe {
                libc::pthread_jit_write_protect_np(0);
                std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast::<u8>(), length);
                libc::pthread_jit_write_protect_np(1);
                sys_icache_invalidate(start, length);
            }
            Ok(ExecutableMemory { start, length })
        }

        pub fn as_ptr(&self) -> *const u8 {
            self.start.cast()
        }
    }

    impl Drop for ExecutableMemory {
        fn drop(&mut self) {
            // SAFETY: the mapping of `new`, which nothing uses any more.
            unsafe { libc::munmap(self.start, self.length) };
        }
    }
}
