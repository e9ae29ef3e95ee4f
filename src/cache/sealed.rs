//! Values with a checksum at their end: LMDB gives back whatever bytes its pages hold, and a number in a
//! list is a number with any bit flipped.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The length of the checksum.
const CHECK: usize = 4;

/// Returns `value`, to be kept under `key`, with its checksum.
pub(super) fn seal(key: &[u8], mut value: Vec<u8>) -> Vec<u8> {
    let check = check(key, &value);
    value.extend(check);
    value
}

/// Returns the value that was sealed for `key`; `None` if it is another one now.
#[inline]
pub(super) fn open<'v>(key: &[u8], sealed: &'v [u8]) -> Option<&'v [u8]> {
    let (value, found) = sealed.split_last_chunk::<CHECK>()?;
    (check(key, value) == *found).then_some(value)
}

/// The value of another key is not the one that belongs there.
#[inline]
fn check(key: &[u8], value: &[u8]) -> [u8; CHECK] {
    let seed = key
        .iter()
        .fold(0, |seed, byte| seed << 8 | u64::from(*byte));
    (xxh3_64_with_seed(value, seed) as u32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_seen() {
        let sealed = seal(b"r0001", b"a row and its path".to_vec());
        assert_eq!(open(b"r0001", &sealed), Some(&b"a row and its path"[..]));
        assert_eq!(open(b"r0002", &sealed), None);
        for length in 0..sealed.len() {
            assert_eq!(open(b"r0001", &sealed[..length]), None, "{length}");
        }
        for bit in 0..sealed.len() * 8 {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open(b"r0001", &flipped), None, "{bit}");
        }
    }
}
