//! Decodes the bytes that a terminal sends for key presses.

/// A key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    /// A letter with Ctrl, in lower case.
    Ctrl(char),
    Enter,
    Tab,
    BackTab,
    Escape,
    Backspace,
    Delete,
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    /// Any other key.
    Other,
}

/// The marks that a terminal sends around pasted text in bracketed paste mode.
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Removes complete keys from `bytes`; `is_complete` means that no more bytes follow.
pub fn take_keys(bytes: &mut Vec<u8>, is_complete: bool) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut at = 0;
    loop {
        if let Some(pasted) = bytes[at..].strip_prefix(PASTE_START) {
            let end = pasted
                .windows(PASTE_END.len())
                .position(|end| end == PASTE_END);
            let (text, length) = match end {
                Some(end) => (&pasted[..end], end + PASTE_END.len()),
                None if is_complete => (pasted, pasted.len()),
                None => break,
            };
            keys.extend(pasted_keys(text));
            at += PASTE_START.len() + length;
        } else if let Some((key, length)) = first_key(&bytes[at..], is_complete) {
            keys.push(key);
            at += length;
        } else {
            break;
        }
    }
    bytes.drain(..at);
    keys
}

/// Returns the keys that would type `text` on one line.
fn pasted_keys(text: &[u8]) -> Vec<Key> {
    let line = String::from_utf8_lossy(text).replace(char::is_control, " ");
    line.trim_end().chars().map(Key::Char).collect()
}

/// Returns the first key of `bytes` and its length; none if it is incomplete.
fn first_key(bytes: &[u8], is_complete: bool) -> Option<(Key, usize)> {
    let key = match *bytes.first()? {
        b'\r' => Key::Enter,
        b'\t' => Key::Tab,
        0x7f | 0x08 => Key::Backspace,
        0x1b => return escape_key(bytes, is_complete),
        byte @ 1..0x1b => Key::Ctrl(char::from(byte - 1 + b'a')),
        byte @ 0x20..0x80 => Key::Char(char::from(byte)),
        0x80.. => {
            // The leading one bits of the first byte are the length of a UTF-8 character.
            let length = match bytes[0].leading_ones() {
                length @ 2..=4 => length as usize,
                _ => 1,
            };
            if bytes.len() < length && !is_complete {
                return None;
            }
            let length = length.min(bytes.len());
            let text = str::from_utf8(&bytes[..length]).ok();
            let key = text.and_then(|text| text.chars().next()).map(Key::Char);
            return Some(key.map_or((Key::Other, 1), |key| (key, length)));
        }
        _ => Key::Other,
    };
    Some((key, 1))
}

/// Like [`first_key`], for bytes that begin with an escape: `[A` is an arrow, `[3~` Delete, `OP` F1.
fn escape_key(bytes: &[u8], is_complete: bool) -> Option<(Key, usize)> {
    let whole =
        |length: usize| (is_complete || bytes.len() >= length).then_some(length.min(bytes.len()));
    match bytes.get(1) {
        None => is_complete.then_some((Key::Escape, 1)),
        Some(b'[') => {
            let rest = &bytes[2..];
            let Some(last) = rest.iter().position(|byte| !(0x20..0x40).contains(byte)) else {
                return is_complete.then_some((Key::Other, bytes.len()));
            };
            let key = match (rest[last], &rest[..last]) {
                (b'A', _) => Key::Up,
                (b'B', _) => Key::Down,
                (b'C', _) => Key::Right,
                (b'D', _) => Key::Left,
                (b'H', _) | (b'~', b"1" | b"7") => Key::Home,
                (b'F', _) | (b'~', b"4" | b"8") => Key::End,
                (b'Z', _) => Key::BackTab,
                (b'~', b"3") => Key::Delete,
                (b'~', b"5") => Key::PageUp,
                (b'~', b"6") => Key::PageDown,
                _ => Key::Other,
            };
            Some((key, 2 + last + 1))
        }
        Some(b'O') => {
            let key = match bytes.get(2) {
                Some(b'A') => Key::Up,
                Some(b'B') => Key::Down,
                Some(b'C') => Key::Right,
                Some(b'D') => Key::Left,
                Some(b'H') => Key::Home,
                Some(b'F') => Key::End,
                _ => Key::Other,
            };
            Some((key, whole(3)?))
        }
        // A second escape starts a new key.
        Some(0x1b) => Some((Key::Escape, 1)),
        // A key with Alt.
        Some(_) => Some((Key::Other, 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_decoded() {
        for (name, bytes, keys, rest) in [
            (
                "letters",
                &b"aB "[..],
                &[Key::Char('a'), Key::Char('B'), Key::Char(' ')][..],
                &b""[..],
            ),
            (
                "wide ones",
                "ü茶".as_bytes(),
                &[Key::Char('ü'), Key::Char('茶')],
                b"",
            ),
            ("half of one", b"x\xe8\x8c", &[Key::Char('x')], b"\xe8\x8c"),
            (
                "bytes that are not UTF-8",
                b"\xffa",
                &[Key::Other, Key::Char('a')],
                b"",
            ),
            (
                "with Ctrl",
                b"\x03\x0e\n",
                &[Key::Ctrl('c'), Key::Ctrl('n'), Key::Ctrl('j')],
                b"",
            ),
            (
                "those with a name",
                b"\r\t\x7f",
                &[Key::Enter, Key::Tab, Key::Backspace],
                b"",
            ),
            ("arrows", b"\x1b[A\x1bOB", &[Key::Up, Key::Down], b""),
            (
                "with a number",
                b"\x1b[5~\x1b[3~\x1b[1;5C",
                &[Key::PageUp, Key::Delete, Key::Right],
                b"",
            ),
            (
                "unknown ones",
                b"\x1b[24~\x1bx\x1bOP",
                &[Key::Other; 3],
                b"",
            ),
            (
                "what is pasted, on one line",
                b"\x1b[200~a\n\x03b\r\n\x1b[201~\r",
                &[
                    Key::Char('a'),
                    Key::Char(' '),
                    Key::Char(' '),
                    Key::Char('b'),
                    Key::Enter,
                ],
                b"",
            ),
            ("half of it", b"\x1b[200~a\n", &[], b"\x1b[200~a\n"),
            ("half of an arrow", b"\x1b[", &[], b"\x1b["),
            ("an escape that may go on", b"\x1b", &[], b"\x1b"),
            ("two of them", b"\x1b\x1b", &[Key::Escape], b"\x1b"),
        ] {
            let mut bytes = bytes.to_vec();
            assert_eq!(take_keys(&mut bytes, false), keys, "{name}");
            assert_eq!(bytes, rest, "{name}");
        }
        for (bytes, key) in [
            (&b"\x1b"[..], Key::Escape),
            (b"\x1b[", Key::Other),
            (b"\x1bO", Key::Other),
        ] {
            let mut bytes = bytes.to_vec();
            assert_eq!(take_keys(&mut bytes, true), [key]);
            assert!(bytes.is_empty());
        }
    }
}
