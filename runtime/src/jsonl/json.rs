//! One JSON object after another into a buffer, in the order in which keys are written.

/// An object that is being written. Keys are written as they are: they are this crate's own words.
pub(crate) struct Object<'b> {
    buffer: &'b mut Vec<u8>,
    empty: bool,
}

impl<'b> Object<'b> {
    /// Begins a line with its scope.
    pub(crate) fn open(buffer: &'b mut Vec<u8>, scope: &str) -> Self {
        buffer.push(b'{');
        let mut object = Self { buffer, empty: true };
        object.text("scope", scope);
        object
    }

    /// Ends the line.
    pub(crate) fn close(self) {
        self.buffer.extend_from_slice(b"}\n");
    }

    fn key(&mut self, key: &str) {
        if !self.empty {
            self.buffer.push(b',');
        }
        self.empty = false;
        self.buffer.push(b'"');
        self.buffer.extend_from_slice(key.as_bytes());
        self.buffer.extend_from_slice(b"\":");
    }

    pub(crate) fn raw(&mut self, key: &str, value: &str) {
        self.key(key);
        self.buffer.extend_from_slice(value.as_bytes());
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        self.integer(value);
    }

    pub(crate) fn signed(&mut self, key: &str, value: i64) {
        self.key(key);
        self.integer(value);
    }

    /// What is no number in JSON, an infinite one say, is text.
    pub(crate) fn float(&mut self, key: &str, value: f64) {
        let text = format!("{value:?}");
        if value.is_finite() { self.raw(key, &text) } else { self.text(key, &text) }
    }

    /// A number of things: without a fraction where it has none.
    pub(crate) fn amount(&mut self, key: &str, value: f64) {
        if value.fract() == 0.0 && value.abs() < 1e18 {
            self.raw(key, &format!("{value:.0}"));
        } else {
            self.float(key, value);
        }
    }

    pub(crate) fn number_or_null(&mut self, key: &str, value: Option<u64>) {
        match value {
            Some(value) => self.number(key, value),
            None => self.raw(key, "null"),
        }
    }

    pub(crate) fn numbers(&mut self, key: &str, values: [u32; 3]) {
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

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        quoted(self.buffer, value);
    }

    pub(crate) fn text_or_null(&mut self, key: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// A UUID, by its two halves.
    pub(crate) fn id(&mut self, key: &str, (high, low): (u64, u64)) {
        self.key(key);
        self.buffer.push(b'"');
        for (index, byte) in high.to_be_bytes().into_iter().chain(low.to_be_bytes()).enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                self.buffer.push(b'-');
            }
            self.buffer.extend_from_slice(&hex(byte));
        }
        self.buffer.push(b'"');
    }

    pub(crate) fn id_or_null(&mut self, key: &str, id: Option<(u64, u64)>) {
        match id {
            Some(id) => self.id(key, id),
            None => self.raw(key, "null"),
        }
    }

    pub(crate) fn object(&mut self, key: &str, fill: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        self.buffer.push(b'{');
        fill(&mut Object { buffer: self.buffer, empty: true });
        self.buffer.push(b'}');
    }

    pub(crate) fn list<T>(&mut self, key: &str, items: &[T], mut fill: impl FnMut(&mut Object<'_>, &T)) {
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

fn hex(byte: u8) -> [u8; 2] {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
    [digit(byte >> 4), digit(byte & 15)]
}

/// A JSON string (RFC 8259, section 7).
fn quoted(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(b'"');
    let plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    if text.bytes().all(plain) {
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
