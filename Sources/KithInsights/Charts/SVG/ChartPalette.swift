// SPDX-License-Identifier: Apache-2.0

/// The colours of a picture.
public enum PictureTheme: String, Sendable, Hashable, CaseIterable {
  /// Light or dark, as the reader prefers; only programs that know CSS can show it.
  case auto
  case light, dark
}

/// Colours and strokes of charts, as CSS.
///
/// The hues are those of Okabe and Ito, darker on light backgrounds and lighter on dark ones, so lines have
/// a contrast of at least 3:1 and text of at least 4.5:1. Everything that a hue expresses is also expressed
/// by a dash, a symbol or a label.
enum ChartPalette {
  /// Number of lines with a hue of their own.
  static let seriesCount = 6
  /// Number of shades of a grid.
  static let shadeCount = 7
  /// From this shade on, text in a cell uses the other colour.
  static let firstStrongShade = 4

  static let fonts = "system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif"

  static let light = text(lightColours)
  static let dark = text(darkColours)

  private static let lightColours = variables(
    ground: ["bg": "#ffffff", "fg": "#1b2733", "muted": "#55616d", "grid": "#e3e8ed", "axis": "#8a96a3"],
    series: ["#0072b2", "#c4500a", "#00795a", "#a8487f", "#8a6500", "#2b7ab0"],
    shades: ["#e8f1f8", "#c6ddee", "#9cc4e1", "#6ba6d0", "#2f76ab", "#1d5d92", "#0b4678"],
    onWeak: "#10202e", onStrong: "#ffffff")

  private static let darkColours = variables(
    ground: ["bg": "#161d26", "fg": "#e8edf2", "muted": "#a3b0bd", "grid": "#2a3542", "axis": "#6c7a89"],
    series: ["#56b4e9", "#f28e4b", "#3cc79b", "#e29ac4", "#e6c24a", "#9ad0f2"],
    shades: ["#264a6b", "#275680", "#2a6595", "#337aaf", "#5a9bcb", "#8dc2e6", "#c7e4f8"],
    onWeak: "#ffffff", onStrong: "#05080b")

  /// The rules of all classes in charts; they use the colour variables.
  static let rules =
    """
    .kc{font-family:\(fonts);font-size:12px}
    .kc text{fill:var(--_fg);font-variant-numeric:tabular-nums}
    .kc .m{fill:var(--_muted)}
    .kc .t{font-size:17px;font-weight:650}
    .kc .b{font-weight:600}
    .kc .p{font-size:17px}
    .kc .v{font-size:21px;font-weight:680}
    .kc .box{fill:none;stroke:var(--_grid)}
    .kc .h{paint-order:stroke;stroke:var(--_bg);stroke-width:4px;stroke-linejoin:round}
    .kc .bg{fill:var(--_bg)}
    .kc .gl{stroke:var(--_grid);fill:none}
    .kc .ax{stroke:var(--_axis);fill:none}
    .kc .mk{stroke:var(--_muted);stroke-dasharray:2 3;fill:none}
    .kc .lv{stroke:var(--_fg);stroke-dasharray:8 4;fill:none}
    .kc .ln{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
    .kc .ds{stroke-dasharray:4 5}
    .kc .ar{opacity:.1;stroke:none}
    .kc .bd{opacity:.2;stroke:none}
    .kc .dot{stroke:var(--_bg);stroke-width:1.5}
    .kc .gain{fill:var(--_s0);stroke:var(--_s0)}
    .kc .loss{fill:var(--_s1);stroke:var(--_s1)}
    .kc .plain{fill:var(--_s0);stroke:var(--_s0);fill-opacity:.75;stroke-opacity:0}
    .kc .better{fill:var(--_s2);stroke:var(--_s2)}
    .kc .worse{fill:var(--_s1);stroke:var(--_s1)}
    .kc .pale{fill-opacity:.25;stroke-dasharray:3 2}
    .kc .hatch{fill:none;stroke-width:1.25;stroke-opacity:.8}
    .kc .net{fill:none;stroke:var(--_fg);stroke-width:1.75;stroke-linejoin:round}
    .kc .netdot{fill:var(--_bg);stroke:var(--_fg);stroke-width:1.5}
    .kc .wh{fill:none;stroke:var(--_fg);stroke-width:1.5}
    .kc .brk{fill:none;stroke:var(--_fg);stroke-width:1.5;stroke-linejoin:round}
    .kc .no{fill:none;stroke:var(--_axis);stroke-opacity:.65;stroke-dasharray:2 2}
    .kc .weak{fill:var(--_weak)}
    .kc .strong{fill:var(--_strong)}

    """
    + (0..<seriesCount).map { ".kc .s\($0){stroke:var(--_s\($0))} .kc .f\($0){fill:var(--_s\($0))}\n" }
    .joined()
    + (0..<shadeCount).map { ".kc .q\($0){fill:var(--_q\($0))}\n" }.joined()

  /// The complete CSS of a standalone image.
  static let standalone =
    ".kc{\(light)}\n@media (prefers-color-scheme:dark){.kc{\(dark)}}\n" + rules

  /// The CSS of a standalone image in one theme. It has no variables, which some programs that draw SVG do not know.
  static func standalone(_ theme: PictureTheme) -> String {
    let colours: [(name: String, colour: String)]
    switch theme {
    case .auto: return standalone
    case .light: colours = lightColours
    case .dark: colours = darkColours
    }
    return colours.reduce(rules) { $0.replacing("var(--_\($1.name))", with: $1.colour) }
  }

  private static func text(_ colours: [(name: String, colour: String)]) -> String {
    colours.map { "--_\($0.name):\($0.colour)" }.joined(separator: ";")
  }

  private static func variables(
    ground: [String: String], series: [String], shades: [String], onWeak: String, onStrong: String
  ) -> [(name: String, colour: String)] {
    let named = ground.sorted { $0.key < $1.key }.map { (name: $0.key, colour: $0.value) }
    let numbered = { (name: String, colours: [String]) in
      colours.enumerated().map { (name: "\(name)\($0.offset)", colour: $0.element) }
    }
    return named + numbered("s", series) + numbered("q", shades)
      + [(name: "weak", colour: onWeak), (name: "strong", colour: onStrong)]
  }
}
