//! Numbers and plots in few columns.

use std::time::Duration;

use ratatui::text::Span;

/// A count in at most 5 columns: `99999`, `100k`, `1.23M`.
pub(super) fn count(number: u64) -> String {
    if number < 100_000 {
        return number.to_string();
    }
    let mut value = number as f64;
    let mut unit = ' ';
    for next in ['k', 'M', 'G', 'T', 'P', 'E'] {
        // What would be written with four digits belongs to the next unit.
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    let decimals = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}{unit}")
}

/// A rate in at most 5 columns.
pub(super) fn rate(rate: Option<f64>) -> String {
    match rate {
        None => "-".into(),
        Some(rate) if rate > 0.0 && rate < 99.95 => format!("{rate:.1}"),
        Some(rate) => count(rate.round() as u64),
    }
}

/// A time in at most 4 columns: seconds, minutes, hours, days.
pub(super) fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..100 => format!("{seconds}s"),
        100..6_000 => format!("{}m", seconds / 60),
        6_000..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", (seconds / 86_400).min(999)),
    }
}

/// The newest rates as bars, each a column wide, the newest at the right; the largest that is seen is a whole one.
pub(super) fn bars(rates: &[f64], width: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let shown = &rates[rates.len().saturating_sub(width)..];
    let most = shown.iter().copied().fold(0.0, f64::max);
    let bar = |&rate: &f64| {
        // Only nothing at all is as low as nothing.
        let level = if rate > 0.0 { 1.0 + (rate / most * 6.0).round() } else { 0.0 };
        BARS[(level as usize).min(7)]
    };
    let empty = std::iter::repeat_n(' ', width - shown.len());
    empty.chain(shown.iter().map(bar)).collect()
}

/// A text in so many columns; what is cut off is shown by an ellipsis.
pub(super) fn fit(text: &str, width: usize) -> String {
    if Span::raw(text).width() <= width {
        return text.into();
    }
    let mut fitting = String::new();
    for c in text.chars() {
        fitting.push(c);
        if Span::raw(&fitting).width() >= width {
            fitting.pop();
            break;
        }
    }
    if width > 0 {
        fitting.push('…');
    }
    fitting
}

/// A text in lines of so many columns, broken between words: one column from the left, what goes on two more.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::from(" ");
    for word in text.split_whitespace() {
        let is_begun = !line.trim().is_empty();
        if is_begun && Span::raw(&line).width() + 1 + Span::raw(word).width() > width {
            lines.push(std::mem::replace(&mut line, "   ".into()));
            line += word;
            continue;
        }
        if is_begun {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
    lines
}

/// Bytes, for people.
pub(super) fn size(bytes: u64) -> String {
    let of = |shift: u32| bytes as f64 / f64::from(1u32 << shift);
    match bytes {
        0..0x400 => format!("{bytes} bytes"),
        0x400..0x10_0000 => format!("{:.1} KiB", of(10)),
        0x10_0000..0x4000_0000 => format!("{:.1} MiB", of(20)),
        _ => format!("{:.1} GiB", of(30)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_fit_into_five_columns() {
        for (number, text) in [
            (0, "0"),
            (99_999, "99999"),
            (100_000, "100k"),
            (999_499, "999k"),
            (999_500, "1.00M"),
            (9_994_999, "9.99M"),
            (9_995_000, "10.0M"),
            (123_456_789, "123M"),
            (u64::MAX, "18.4E"),
        ] {
            assert_eq!(count(number), text);
        }
        assert_eq!([rate(None), rate(Some(0.0)), rate(Some(0.04))], ["-", "0", "0.0"]);
        assert_eq!([rate(Some(99.94)), rate(Some(99.96)), rate(Some(1e6))], ["99.9", "100", "1.00M"]);
        assert_eq!(rate(Some(f64::MAX)), "18.4E");
    }

    #[test]
    fn ages_fit_into_four_columns() {
        for (seconds, text) in [(0, "0s"), (99, "99s"), (100, "1m"), (5999, "99m"), (6000, "1h")] {
            assert_eq!(age(Duration::from_secs(seconds)), text);
        }
        assert_eq!(age(Duration::from_secs(172_800)), "2d");
        assert_eq!(age(Duration::MAX), "999d");
    }

    #[test]
    fn bars_are_by_the_largest() {
        assert_eq!(bars(&[], 4), "    ");
        assert_eq!(bars(&[0.0, 0.0], 4), "  ▁▁");
        assert_eq!(bars(&[5.0, 0.0, 1.0, 50.0, 100.0], 4), "▁▂▅█");
        assert_eq!(bars(&[3.0], 0), "");
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        assert_eq!(fit("kernel", 6), "kernel");
        assert_eq!(fit("kernels", 6), "kerne…");
        assert_eq!(fit("核核核", 4), "核…");
        assert_eq!([fit("ab", 1), fit("ab", 0)], ["…", ""]);
    }

    #[test]
    fn texts_break_between_words() {
        assert_eq!(wrap("one two three", 9), [" one two", "   three"]);
        assert_eq!(wrap("one two three", 80), [" one two three"]);
        assert_eq!(wrap("incomprehensible", 4), [" incomprehensible"]);
        assert_eq!(wrap("", 4), [" "]);
    }
}
