//! Values with a trailing checksum. LMDB returns the bytes of its pages unchecked, and a flipped bit in a
//! list of numbers is still a valid list.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Length of the checksum in bytes.
const CHECKSUM_BYTES: usize = 4;

/// Returns `value`, for storage under `key`, with its checksum.
pub(super) fn seal(key: &[u8], mut value: Vec<u8>) -> Vec<u8> {
    let check = check(key, &value);
    value.extend(check);
    value
}

/// Returns the value sealed for `key`; `None` if it was changed.
#[inline]
pub(super) fn open<'v>(key: &[u8], sealed: &'v [u8]) -> Option<&'v [u8]> {
    let (value, found) = sealed.split_last_chunk::<CHECKSUM_BYTES>()?;
    (check(key, value) == *found).then_some(value)
}

/// Includes the key, so that the value of another key does not match.
#[inline]
fn check(key: &[u8], value: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let seed = key
        .iter()
        .fold(0, |seed, byte| seed << 8 | u64::from(*byte));
    (xxh3_64_with_seed(value, seed) as u32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_every_flipped_bit() {
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
