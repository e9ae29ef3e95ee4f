//! Validates the response of an endpoint, which is untrusted.

use serde::Deserialize;

use super::embedder::normalise;

/// Maximum components of a vector.
pub(super) const MAX_DIMS: usize = 16_384;

/// The response; fields other than the vectors are ignored.
#[derive(Deserialize)]
struct Response {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    /// Index of the text; if missing, vectors are in order.
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Returns the vectors of `count` texts in order, all of one width and of length 1, or an error message.
pub(super) fn vectors(json: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Response =
        serde_json::from_slice(json).map_err(|error| format!("unexpected reply: {error}"))?;
    let found = answer.data.len();
    if found != count {
        return Err(format!("{found} vectors for {count} texts"));
    }
    let width = answer.data.first().map_or(0, |first| first.embedding.len());
    let mut vectors = vec![Vec::new(); count];
    for (position, Embedding { index, embedding }) in answer.data.into_iter().enumerate() {
        let index = index.unwrap_or(position);
        let vector = vectors
            .get_mut(index)
            .ok_or_else(|| format!("a vector for text {index} of {count}"))?;
        if !vector.is_empty() {
            return Err(format!("two vectors for text {index}"));
        }
        if embedding.len() != width || !(1..=MAX_DIMS).contains(&width) {
            return Err(format!(
                "vectors of {width} and {} dimensions",
                embedding.len()
            ));
        }
        *vector = embedding;
        // Squares of large numbers are not finite.
        let largest = vector
            .iter()
            .fold(0.0, |most: f32, number| most.max(number.abs()));
        if !vector.iter().all(|number| number.is_finite()) {
            return Err(format!("the vector of text {index} is not finite"));
        }
        if largest > 0.0 {
            for number in vector.iter_mut() {
                *number /= largest;
            }
        }
        normalise(vector);
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_or_refuses_responses() {
        let good = r#"{"object":"list","data":[{"index":1,"embedding":[0,3,4]},
            {"object":"embedding","index":0,"embedding":[-2.0,0,0]}],"usage":{"total_tokens":5}}"#;
        let taken = vectors(good.as_bytes(), 2).unwrap();
        assert_eq!(taken, [vec![-1.0, 0.0, 0.0], vec![0.0, 0.6, 0.8]]);
        let in_order = r#"{"data":[{"embedding":[1e30,0]},{"embedding":[0,0]}]}"#;
        assert_eq!(
            vectors(in_order.as_bytes(), 2).unwrap(),
            [[1.0, 0.0], [0.0, 0.0]]
        );
        for (answer, why) in [
            ("", "unexpected reply: EOF"),
            ("<html>", "unexpected reply: expected value"),
            ("{}", "unexpected reply: missing field `data`"),
            (
                r#"{"data":[{"index":0,"embedding":"AAAA"}]}"#,
                "unexpected reply: invalid type",
            ),
            (r#"{"data":[]}"#, "0 vectors for 2 texts"),
            (
                r#"{"data":[{"index":0,"embedding":[1]}]}"#,
                "1 vectors for 2 texts",
            ),
            (
                r#"{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}"#,
                "a vector for text 2 of 2",
            ),
            (
                r#"{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}"#,
                "two vectors for text 1",
            ),
            (
                r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}"#,
                "vectors of 1 and 2 dimensions",
            ),
            (
                r#"{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}"#,
                "vectors of 0 and 0 dimensions",
            ),
            (
                r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1e300]}]}"#,
                "the vector of text 1 is not finite",
            ),
            (
                r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[null]}]}"#,
                "unexpected reply: invalid type: null",
            ),
        ] {
            let found = vectors(answer.as_bytes(), 2).unwrap_err();
            assert!(found.starts_with(why), "{answer}: {found}");
        }
    }
}
