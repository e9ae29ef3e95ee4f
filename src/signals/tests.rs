//! Test helper: reference values of the systems that the formulas come from
//! (`fixtures/README.txt`).

/// A row of a table.
#[derive(Debug)]
pub(crate) struct Case<'t>(Vec<(&'t str, &'t str)>);

/// Returns the rows of a tab-separated table with a header.
pub(crate) fn cases(table: &str) -> Vec<Case<'_>> {
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines
        .map(|line| Case(head.iter().copied().zip(line.split('\t')).collect()))
        .collect()
}

impl<'t> Case<'t> {
    /// Returns a cell; `-` means no value.
    pub(crate) fn text(&self, column: &str) -> &'t str {
        let mut cells = self.0.iter();
        let cell = cells.find(|(name, _)| *name == column);
        cell.unwrap_or_else(|| panic!("no column {column}")).1
    }

    pub(crate) fn number(&self, column: &str) -> Option<f64> {
        let text = self.text(column);
        (text != "-").then(|| text.parse().expect(column))
    }

    pub(crate) fn of(&self, column: &str) -> f64 {
        self.number(column).expect(column)
    }

    pub(crate) fn numbers(&self, column: &str) -> Vec<f64> {
        let numbers = self.text(column).split(' ');
        numbers
            .map(|number| number.parse().expect(column))
            .collect()
    }
}
