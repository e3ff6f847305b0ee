//! One JSON object after another into a buffer, in the order in which keys are written.

/// A key that is known when this is compiled, with all that stands around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member(pub(super) &'static str);

/// A [`Member`].
macro_rules! key {
    ($key:literal) => {
        $crate::jsonl::json::Member(concat!(",\"", $key, "\":"))
    };
}
pub(crate) use key;

/// What stands in front of a value. Keys are written as they are: they are this crate's own words, and a program's names of fields.
pub(crate) trait Key {
    fn write(self, buffer: &mut Vec<u8>, is_first: bool);
}

impl Key for Member {
    #[inline]
    fn write(self, buffer: &mut Vec<u8>, is_first: bool) {
        // Without the comma.
        let text = if is_first { self.0.get(1..).unwrap_or_default() } else { self.0 };
        buffer.extend_from_slice(text.as_bytes());
    }
}

impl Key for &str {
    fn write(self, buffer: &mut Vec<u8>, is_first: bool) {
        if !is_first {
            buffer.push(b',');
        }
        buffer.push(b'"');
        buffer.extend_from_slice(self.as_bytes());
        buffer.extend_from_slice(b"\":");
    }
}

/// An object that is being written.
pub(crate) struct Object<'b> {
    buffer: &'b mut Vec<u8>,
    empty: bool,
}

impl<'b> Object<'b> {
    /// Begins a line with its scope.
    pub(crate) fn open(buffer: &'b mut Vec<u8>, scope: &str) -> Self {
        buffer.push(b'{');
        let mut object = Self { buffer, empty: true };
        object.word(key!("scope"), scope);
        object
    }

    /// Members that follow others.
    pub(super) fn go_on(buffer: &'b mut Vec<u8>) -> Self {
        Self { buffer, empty: false }
    }

    /// Members that were written before, each with the comma in front.
    pub(super) fn members(&mut self, members: &[u8]) {
        self.buffer.extend_from_slice(members);
    }

    /// Ends the line.
    pub(crate) fn close(self) {
        self.buffer.extend_from_slice(b"}\n");
    }

    #[inline]
    fn key(&mut self, key: impl Key) {
        key.write(self.buffer, self.empty);
        self.empty = false;
    }

    #[inline]
    pub(crate) fn raw(&mut self, key: impl Key, value: &str) {
        self.key(key);
        self.buffer.extend_from_slice(value.as_bytes());
    }

    #[inline]
    pub(crate) fn number(&mut self, key: impl Key, value: u64) {
        self.key(key);
        self.integer(value);
    }

    #[inline]
    pub(crate) fn signed(&mut self, key: impl Key, value: i64) {
        self.key(key);
        self.integer(value);
    }

    /// What is no number in JSON, an infinite one say, is text.
    pub(crate) fn float(&mut self, key: impl Key, value: f64) {
        let text = format!("{value:?}");
        if value.is_finite() { self.raw(key, &text) } else { self.text(key, &text) }
    }

    /// A number of things: without a fraction where it has none.
    pub(crate) fn amount(&mut self, key: impl Key, value: f64) {
        if value.fract() == 0.0 && value.abs() < 1e18 {
            self.raw(key, &format!("{value:.0}"));
        } else {
            self.float(key, value);
        }
    }

    #[inline]
    pub(crate) fn number_or_null(&mut self, key: impl Key, value: Option<u64>) {
        match value {
            Some(value) => self.number(key, value),
            None => self.raw(key, "null"),
        }
    }

    #[inline]
    pub(crate) fn numbers(&mut self, key: impl Key, values: [u32; 3]) {
        self.key(key);
        for (index, value) in values.into_iter().enumerate() {
            self.buffer.push(if index == 0 { b'[' } else { b',' });
            self.integer(value);
        }
        self.buffer.push(b']');
    }

    fn integer(&mut self, value: impl itoa::Integer) {
        self.buffer.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    /// A word of this crate's own: nothing in it has to be escaped.
    #[inline]
    pub(crate) fn word(&mut self, key: impl Key, word: &str) {
        self.key(key);
        self.buffer.push(b'"');
        self.buffer.extend_from_slice(word.as_bytes());
        self.buffer.push(b'"');
    }

    pub(crate) fn text(&mut self, key: impl Key, value: &str) {
        self.key(key);
        quoted(self.buffer, value);
    }

    pub(crate) fn text_or_null(&mut self, key: impl Key, value: Option<&str>) {
        match value {
            Some(value) => self.text(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// A UUID, by its two halves.
    #[inline]
    pub(crate) fn id(&mut self, key: impl Key, (high, low): (u64, u64)) {
        self.key(key);
        let (high, low) = (digits(high), digits(low));
        let (first, rest) = high.split_at(8);
        let (second, third) = rest.split_at(4);
        let (fourth, last) = low.split_at(4);
        self.buffer.push(b'"');
        for part in [first, b"-", second, b"-", third, b"-", fourth, b"-", last] {
            self.buffer.extend_from_slice(part);
        }
        self.buffer.push(b'"');
    }

    #[inline]
    pub(crate) fn id_or_null(&mut self, key: impl Key, id: Option<(u64, u64)>) {
        match id {
            Some(id) => self.id(key, id),
            None => self.raw(key, "null"),
        }
    }

    pub(crate) fn object(&mut self, key: impl Key, fill: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        self.buffer.push(b'{');
        fill(&mut Object { buffer: self.buffer, empty: true });
        self.buffer.push(b'}');
    }

    pub(crate) fn list<T>(&mut self, key: impl Key, items: &[T], mut fill: impl FnMut(&mut Object<'_>, &T)) {
        self.key(key);
        self.buffer.push(b'[');
        for (index, item) in items.iter().enumerate() {
            self.buffer.extend_from_slice(if index == 0 { b"{" } else { b",{" });
            fill(&mut Object { buffer: self.buffer, empty: true }, item);
            self.buffer.push(b'}');
        }
        self.buffer.push(b']');
    }
}

fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

fn hex(byte: u8) -> [u8; 2] {
    [digit(byte >> 4), digit(byte & 15)]
}

fn digits(number: u64) -> [u8; 16] {
    #[allow(clippy::cast_possible_truncation)] // four bits
    std::array::from_fn(|index| digit((number >> (60 - 4 * index)) as u8 & 15))
}

/// A JSON string (RFC 8259, section 7).
fn quoted(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(b'"');
    let plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    // All of them, whatever comes: so it is done by many at once.
    if text.bytes().fold(true, |all, byte| all & plain(byte)) {
        buffer.extend_from_slice(text.as_bytes());
    } else {
        text.bytes().for_each(|byte| escaped(buffer, byte));
    }
    buffer.push(b'"');
}

fn escaped(buffer: &mut Vec<u8>, byte: u8) {
    match byte {
        b'"' => buffer.extend_from_slice(b"\\\""),
        b'\\' => buffer.extend_from_slice(b"\\\\"),
        b'\n' => buffer.extend_from_slice(b"\\n"),
        0..0x20 => {
            buffer.extend_from_slice(b"\\u00");
            buffer.extend_from_slice(&hex(byte));
        }
        _ => buffer.push(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::Object;

    #[test]
    fn every_line_is_json_with_the_values_that_went_in() {
        let texts = ["", "plain", "\"quoted\" \\ back", "line\nbreak\ttab\u{1}\u{1f}\u{7f}", "größe 𝄞", "a/b"];
        for text in texts {
            let mut buffer = Vec::new();
            let mut object = Object::open(&mut buffer, "test");
            object.text("text", text);
            object.signed("below", i64::MIN);
            object.number("above", u64::MAX);
            object.number_or_null("none", None);
            object.numbers("three", [1, 2, 3]);
            object.id("id", (0x0123_4567_89ab_8def, 0x8123_4567_89ab_cdef));
            object.object("empty", |_| {});
            object.list("list", &[4, 5], |item, &value| item.number("n", value));
            object.close();
            let line = std::str::from_utf8(&buffer).unwrap();
            assert!(line.ends_with("}\n") && line.matches('\n').count() == 1);
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(
                value,
                serde_json::json!({
                    "scope": "test", "text": text, "below": i64::MIN, "above": u64::MAX, "none": null,
                    "three": [1, 2, 3], "id": "01234567-89ab-8def-8123-456789abcdef", "empty": {},
                    "list": [{"n": 4}, {"n": 5}],
                })
            );
        }
    }
}
