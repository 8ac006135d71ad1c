//! How figures are printed: a table a bench, and beside each cell the foreign share of CPU.

use std::time::Duration;

use super::cpu::Usage;

/// Prints a heading and what the columns are.
pub fn heading(title: &str, columns: &[&str]) {
    println!("\n{title}");
    row(&columns.iter().map(|&column| column.to_owned()).collect::<Vec<_>>());
}

/// Prints one line of a table.
pub fn row(cells: &[String]) {
    let line: String = cells.iter().enumerate().map(|(place, cell)| cell_of(place, cell)).collect();
    println!("{}", line.trim_end());
}

fn cell_of(place: usize, cell: &str) -> String {
    if place == 0 { format!("  {cell:<26}") } else { format!("{cell:>14}") }
}

/// A duration with three digits.
pub fn time(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    match micros {
        ..1.0 => format!("{:.0} ns", micros * 1e3),
        ..10.0 => format!("{micros:.2} us"),
        ..1e3 => format!("{micros:.0} us"),
        ..1e4 => format!("{:.2} ms", micros / 1e3),
        ..1e6 => format!("{:.0} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

/// The foreign share of a cell, or the largest of several.
pub fn foreign(usages: &[Usage]) -> String {
    let most = usages.iter().map(|usage| usage.foreign).fold(0.0, f64::max);
    format!("{:.0} %", most * 100.0)
}
