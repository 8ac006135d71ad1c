//! Immutable bytes: the memory of a served index.
//!
//! A mapped file is only as stable as the file: truncating it kills the process (SIGBUS), and overwriting it
//! changes rulings. So the file is read once and its bytes go into memory that no file operation
//! reaches. On Linux that is a sealed memfd: an anonymous file that the kernel from then on refuses to
//! write, shrink or grow, mapped read-only. On other systems, and where the kernel gives no memfd, it is an
//! ordinary vector; the answers are equal, only the kernel's protection is missing.

use std::fmt;

/// Bytes that do not change for as long as they are served.
pub struct SealedBytes(Place);

enum Place {
    Program(&'static [u8]),
    #[cfg(target_os = "linux")]
    Sealed(memmap2::Mmap),
    Heap(Vec<u8>),
}

impl SealedBytes {
    /// Bytes that are part of the program itself.
    #[must_use]
    pub const fn of_program(bytes: &'static [u8]) -> Self {
        Self(Place::Program(bytes))
    }

    /// Takes a copy of bytes that were read from a file or the database.
    #[must_use]
    pub fn of_read(bytes: Vec<u8>) -> Self {
        // A venue must go on where the kernel gives no memfd (an old container, no descriptors left):
        // a private vector cannot be reached through any file either.
        Self(sealed(&bytes).unwrap_or(Place::Heap(bytes)))
    }

    /// Whether the kernel protects the bytes; `adjudge doctor` may report it.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        !matches!(self.0, Place::Heap(_))
    }
}

impl AsRef<[u8]> for SealedBytes {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Place::Program(bytes) => bytes,
            #[cfg(target_os = "linux")]
            Place::Sealed(bytes) => bytes,
            Place::Heap(bytes) => bytes,
        }
    }
}

impl fmt::Debug for SealedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unchanging({} bytes)", self.as_ref().len())
    }
}

#[cfg(not(target_os = "linux"))]
fn sealed(_: &[u8]) -> Option<Place> {
    None
}

#[cfg(target_os = "linux")]
fn sealed(bytes: &[u8]) -> Option<Place> {
    let file = sealed_file(bytes).ok()?;
    // A private mapping, because kernels before 6.7 refuse a shared one of a write-sealed memfd.
    // SAFETY: the map is sound while the file behind it neither changes nor shrinks. The kernel refuses
    // both since the seals were set, and the last seal refuses to take them off again.
    #[expect(unsafe_code, reason = "the one unsafe line: mapping a sealed memfd, see the SAFETY comment")]
    let map = unsafe { memmap2::MmapOptions::new().map_copy_read_only(&file) };
    map.ok().map(Place::Sealed)
}

/// An anonymous file of these bytes, sealed against writing, shrinking and growing.
#[cfg(target_os = "linux")]
fn sealed_file(bytes: &[u8]) -> std::io::Result<std::fs::File> {
    use std::io::Write;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

    let memory = memfd_create("adjudge-lexicon", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = std::fs::File::from(memory);
    file.write_all(bytes)?;
    fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE | SealFlags::SEAL)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_that_were_read() {
        let bytes: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let unchanging = SealedBytes::of_read(bytes.clone());
        assert_eq!(unchanging.as_ref(), bytes);
        assert_eq!(SealedBytes(Place::Heap(bytes.clone())).as_ref(), bytes);
        assert_eq!(SealedBytes::of_program(b"abc").as_ref(), b"abc");
        assert_eq!(SealedBytes::of_read(Vec::new()).as_ref(), b"");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn on_linux_the_bytes_are_mapped_read_only_from_a_memfd() {
        let unchanging = SealedBytes::of_read(b"CRANE".repeat(1_000));
        assert!(unchanging.is_sealed());
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let here = format!("{:x}-", unchanging.as_ref().as_ptr().addr());
        let line = maps.lines().find(|line| line.starts_with(&here)).unwrap();
        assert!(line.contains(" r--p ") && line.contains("memfd:adjudge-lexicon"), "{line}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_sealed_file_takes_no_write_no_other_length_and_no_other_seals() {
        use std::io::{Seek, Write};

        let mut file = sealed_file(b"CRANE").unwrap();
        file.rewind().unwrap();
        assert!(file.write_all(b"X").is_err());
        assert!(file.set_len(0).is_err());
        assert!(file.set_len(10).is_err());
        assert!(rustix::fs::fcntl_add_seals(&file, rustix::fs::SealFlags::empty()).is_err());
    }
}
