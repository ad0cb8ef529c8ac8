//! A topology as text, for Graphviz, and as a picture.

use std::fmt::{self, Write};

use annulus_queue::Backpressure;

use super::{
    Topology, TopologyError,
    check::{Checked, warning},
};

/// A line of the drawing: from, what goes there, and to. `None` is the host.
struct Arrow {
    from: Option<usize>,
    /// The outbox, if there are several.
    outbox: Option<&'static str>,
    /// The type, and for which topics.
    message: String,
    rejects: bool,
    to: Option<usize>,
    /// Whether it leads to another device.
    bridged: bool,
}

impl Topology {
    /// All arrows: those of the host, the links, and what goes to the host, in the order of the kernels.
    fn arrows(&self, checked: &Checked) -> Vec<Arrow> {
        let mut arrows = Vec::new();
        for kernel in 0..self.nodes.len() {
            if checked.links.iter().all(|link| link.to != kernel) {
                let message = self.nodes[kernel].bound.definition().message_name().to_owned();
                let to = Some(kernel);
                arrows.push(Arrow { from: None, outbox: None, message, rejects: false, to, bridged: false });
            }
        }
        for kernel in checked.order.iter().rev().copied() {
            let definition = self.nodes[kernel].bound.definition();
            let rejects = |index: usize| self.edges[index].backpressure == Backpressure::Reject;
            let all = || checked.links.iter().enumerate().filter(|(_, link)| link.from == kernel);
            let is_linked = all().next().is_some() || self.has_names(&self.nodes[kernel].name);
            if let (Some(peers), true) = (definition.peers, is_linked) {
                arrows.extend(all().map(|(index, link)| {
                    let message = match &self.edges[index].patterns[..] {
                        [] => peers.message.name.to_owned(),
                        patterns => format!("{} on {}", peers.message.name, patterns.join(", ")),
                    };
                    let (from, to) = (Some(kernel), Some(link.to));
                    Arrow { from, outbox: None, message, rejects: rejects(index), to, bridged: false }
                }));
                continue;
            }
            let outboxes: Vec<_> = match (definition.ports, definition.output) {
                ([], Some(output)) => vec![(None, output.name)],
                (ports, _) => ports.iter().map(|port| (Some(port.name), port.output.name)).collect(),
            };
            for (number, (outbox, message)) in outboxes.into_iter().enumerate() {
                let of_it =
                    |link: &super::check::Resolved| link.from == kernel && link.port.unwrap_or(0) == number;
                let index = checked.links.iter().position(of_it);
                let rejects = index.is_some_and(rejects);
                let message = message.to_owned();
                let to = index.map(|index| checked.links[index].to);
                let bridged = index.is_some_and(|index| checked.links[index].bridged);
                arrows.push(Arrow { from: Some(kernel), outbox, message, rejects, to, bridged });
            }
        }
        arrows
    }

    fn name(&self, kernel: Option<usize>) -> &str {
        kernel.map_or("host", |kernel| &self.nodes[kernel].name)
    }

    /// The name of the device that it runs on, behind this; or nothing.
    fn device(&self, kernel: usize, before: &str) -> String {
        let device = self.device_of(&self.nodes[kernel]);
        device.map_or(String::new(), |device| format!("{before}{device}"))
    }

    /// A drawing for a terminal: an arrow a line, in the order in which messages go, and then what to know of it. A double
    /// arrow is a bridge, from device to device.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new()
    ///     .kernel("sort", sort::bind(), sort::options())
    ///     .kernel("twice", double::bind(), double::options())
    ///     .link("sort.even", "twice");
    /// let drawn = topology.drawn()?;
    /// assert!(drawn.starts_with(
    ///     "host       ── Number ─▶ sort\n\
    ///      sort.even  ── Number ─▶ twice\n\
    ///      sort.odd   ── Number ─▶ host\n\
    ///      twice      ── Number ─▶ host\n"
    /// ), "{drawn}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TopologyError::Invalid`], as for [`check`](Self::check).
    pub fn drawn(&self) -> Result<String, TopologyError> {
        let checked = self.checked()?;
        let arrows = self.arrows(&checked);
        let from = |arrow: &Arrow| match arrow.outbox {
            None => self.name(arrow.from).to_owned(),
            Some(outbox) => format!("{}.{outbox}", self.name(arrow.from)),
        };
        let said = |arrow: &Arrow| match arrow.rejects {
            false => arrow.message.clone(),
            true => format!("{} or lost", arrow.message),
        };
        let width = |of: &dyn Fn(&Arrow) -> String| {
            arrows.iter().map(|arrow| of(arrow).chars().count()).max().unwrap_or(0)
        };
        let (first, second) = (width(&from), width(&said));
        let mut text = String::new();
        for arrow in &arrows {
            let stroke = if arrow.bridged { "═" } else { "─" };
            let dashes = stroke.repeat(second - said(arrow).chars().count() + 1);
            let on = arrow.to.map_or(String::new(), |kernel| self.device(kernel, " on "));
            let (from, said, to) = (from(arrow), said(arrow), self.name(arrow.to));
            line(&mut text, format_args!("{from:<first$}  {stroke}{stroke} {said} {dashes}▶ {to}{on}"));
        }
        for cycle in &checked.plan.cycles {
            line(&mut text, format_args!("{}", warning(&cycle.join("` to `"))));
        }
        line(&mut text, format_args!("{} bytes of shards, at most", checked.plan.memory));
        Ok(text)
    }

    /// The graph in the language of Graphviz: `dot -Tsvg`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let dot = topology.to_dot()?;
    /// assert!(dot.contains(r#""twice" [label="twice\ndouble, grid 1"];"#), "{dot}");
    /// assert!(dot.contains(r#""host to" -> "twice" [label="Number"];"#), "{dot}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TopologyError::Invalid`], as for [`check`](Self::check).
    pub fn to_dot(&self) -> Result<String, TopologyError> {
        let checked = self.checked()?;
        let quoted = |name: &str| format!("{:?}", name);
        let mut text = String::from("digraph annulus {\n    rankdir=LR;\n    node [shape=box];\n");
        line(&mut text, format_args!("    \"host to\" [label=\"host\", shape=plain];"));
        line(&mut text, format_args!("    \"host from\" [label=\"host\", shape=plain];"));
        for (index, node) in self.nodes.iter().enumerate() {
            let (kernel, grid) = (node.bound.definition().name, node.options.shape.grid);
            let on = self.device(index, ", on ");
            let label = quoted(&format!("{}\n{kernel}, grid {grid}{on}", node.name));
            line(&mut text, format_args!("    {} [label={label}];", quoted(&node.name)));
        }
        for arrow in self.arrows(&checked) {
            let label = match arrow.outbox {
                None => arrow.message.clone(),
                Some(outbox) => format!("{outbox}: {}", arrow.message),
            };
            let style = match (arrow.rejects, arrow.bridged) {
                (true, true) => ", style=\"dashed,bold\"",
                (true, false) => ", style=dashed",
                (false, true) => ", style=bold",
                (false, false) => "",
            };
            let from = arrow.from.map_or("host to", |kernel| &self.nodes[kernel].name);
            let to = arrow.to.map_or("host from", |kernel| &self.nodes[kernel].name);
            let (from, to, label) = (quoted(from), quoted(to), quoted(&label));
            line(&mut text, format_args!("    {from} -> {to} [label={label}{style}];"));
        }
        text.push_str("}\n");
        Ok(text)
    }
}

/// Sizes in the picture.
const BOX: (usize, usize) = (150, 44);
const APART: (usize, usize) = (130, 40);
const MARGIN: usize = 30;

impl Topology {
    /// The graph as a picture: kernels in columns, each behind all that send to it, and the host on both sides. What
    /// goes to the host from a column in between goes down.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// assert!(topology.to_svg()?.starts_with("<svg "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TopologyError::Invalid`], as for [`check`](Self::check).
    pub fn to_svg(&self) -> Result<String, TopologyError> {
        let checked = self.checked()?;
        let arrows = self.arrows(&checked);
        let places = self.places(&checked);
        let last = places.iter().map(|place| place.0).max().unwrap_or(0) + 1;
        let rows = places.iter().map(|place| place.1).max().unwrap_or(0) + 1;
        // Columns of kernels begin behind that of the host.
        let at = |(column, row): (usize, usize)| {
            (MARGIN + column * (BOX.0 + APART.0), MARGIN + row * (BOX.1 + APART.1))
        };
        let (width, height) = (at((last + 1, 0)).0 - APART.0 + MARGIN, at((0, rows)).1 - APART.1 + MARGIN);
        let mut text = String::new();
        line(
            &mut text,
            format_args!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
                 height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n\
                 <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
                 <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" \
                 markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>"
            ),
        );
        // Several arrows of one kernel leave it at different heights.
        let mut left = vec![0; self.nodes.len()];
        for arrow in &arrows {
            let from = arrow.from.map(|kernel| places[kernel]);
            let to = arrow.to.map(|kernel| places[kernel]);
            let (x1, y1) = match from {
                Some(place) => (at(place).0 + BOX.0, at(place).1),
                None => (at((0, 0)).0 + BOX.0, at((0, to.map_or(0, |place| place.1))).1),
            };
            let (x2, y2) = match to {
                Some(place) => at(place),
                None => at((last, from.map_or(0, |place| place.1))),
            };
            let slot = arrow.from.map_or(1, |kernel| {
                left[kernel] += 1;
                left[kernel]
            });
            let of = arrow.from.map_or(1, |kernel| self.nodes[kernel].bound.definition().ports.len().max(1));
            let y1 = y1 + BOX.1 * slot / (of + 1);
            let y2 = y2 + if arrow.to.is_none() { BOX.1 * slot / (of + 1) } else { BOX.1 / 2 };
            let dashes = match (arrow.rejects, arrow.bridged) {
                (true, true) => " stroke-dasharray=\"5 4\" stroke-width=\"3\"",
                (true, false) => " stroke-dasharray=\"5 4\"",
                (false, true) => " stroke-width=\"3\"",
                (false, false) => "",
            };
            let label = match arrow.outbox {
                None => arrow.message.clone(),
                Some(outbox) => format!("{outbox}: {}", arrow.message),
            };
            // To the host past other columns: down, where nothing is in the way.
            if let (Some((column, row)), None) = (from, to)
                && column + 1 < last
            {
                let (x, y) = (at((column, row)).0 + BOX.0 * slot / (of + 1), at((column, row)).1 + BOX.1);
                let (end, below) = (y + 14, y + 24);
                line(
                    &mut text,
                    format_args!("<path d=\"M{x} {y}V{end}\" stroke=\"black\" marker-end=\"url(#tip)\"/>"),
                );
                let label = escaped(&format!("{} to host", arrow.outbox.unwrap_or(&arrow.message)));
                line(&mut text, format_args!("<text x=\"{x}\" y=\"{below}\" font-size=\"9\">{label}</text>"));
                continue;
            }
            // Back to an earlier column, around below.
            let path = if x2 >= x1 {
                let half = (x2 - x1) / 2;
                format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + half, x2 - half)
            } else {
                let below = y1.max(y2) + BOX.1;
                format!(
                    "M{x1} {y1}C{} {below} {} {below} {x2} {y2}",
                    x1 + APART.0 / 2,
                    x2.saturating_sub(APART.0 / 2)
                )
            };
            line(
                &mut text,
                format_args!(
                    "<path d=\"{path}\" fill=\"none\" stroke=\"black\"{dashes} marker-end=\"url(#tip)\"/>"
                ),
            );
            let (x, y) = (usize::midpoint(x1, x2), usize::midpoint(y1, y2) - 5);
            line(
                &mut text,
                format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"11\">{}</text>", escaped(&label)),
            );
        }
        for (index, (node, place)) in self.nodes.iter().zip(&places).enumerate() {
            let (x, y) = at(*place);
            let (middle, name) = (x + BOX.0 / 2, escaped(&node.name));
            let (kernel, grid) = (node.bound.definition().name, node.options.shape.grid);
            let what = escaped(&format!("{kernel}, grid {grid}{}", self.device(index, ", on ")));
            line(
                &mut text,
                format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"#eef3fa\" stroke=\"black\"/>\n\
                     <text x=\"{middle}\" y=\"{}\">{name}</text>\n\
                     <text x=\"{middle}\" y=\"{}\" font-size=\"11\">{}</text>",
                    BOX.0,
                    BOX.1,
                    y + 19,
                    y + 35,
                    escaped(&what)
                ),
            );
        }
        for x in [at((0, 0)).0, at((last, 0)).0] {
            line(&mut text, format_args!("<text x=\"{}\" y=\"{}\">host</text>", x + BOX.0 / 2, height / 2));
        }
        text.push_str("</svg>\n");
        Ok(text)
    }

    /// A column and a row for each kernel: a column behind those of all that send to it. Links that close a cycle
    /// lead back.
    fn places(&self, checked: &Checked) -> Vec<(usize, usize)> {
        let mut columns = vec![1; self.nodes.len()];
        let order: Vec<_> = checked.order.iter().rev().copied().collect();
        let before = |a: usize, b: usize| {
            order.iter().position(|&one| one == a) < order.iter().position(|&one| one == b)
        };
        for &kernel in &order {
            for link in checked.links.iter().filter(|link| link.from == kernel && before(kernel, link.to)) {
                columns[link.to] = columns[link.to].max(columns[kernel] + 1);
            }
        }
        let mut rows = vec![0; self.nodes.len() + 2];
        let mut places = vec![(0, 0); self.nodes.len()];
        for kernel in order {
            let column = columns[kernel];
            places[kernel] = (column, rows[column]);
            rows[column] += 1;
        }
        places
    }
}

/// Text in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn line(text: &mut String, line: fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes everything");
}
