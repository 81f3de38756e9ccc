// SPDX-License-Identifier: Apache-2.0

/// The style of the report's HTML page.
package enum ReportStyle {
  /// The colours of the page around its panels, and of good and bad changes; text has a contrast of 4.5:1
  /// or more.
  private static let light =
    "--_page:#f3f5f8;--_line:#dde3e9;--_link:#0a5c96;--_good:#00664c;--_good-bg:#e2f4ee;--_bad:#a03c00;--_bad-bg:#fdece1;--_edge:rgba(20,35,50,.22);"
    + "--_shadow:0 1px 2px rgba(20,35,50,.05),0 4px 16px rgba(20,35,50,.05)"
  private static let dark =
    "--_page:#0d1218;--_line:#2a3542;--_link:#7cc4f0;--_good:#5fd6b0;--_good-bg:#12332b;--_bad:#f7a873;--_bad-bg:#3a2416;--_edge:rgba(255,255,255,.22);"
    + "--_shadow:none"

  static let css =
    ":root{color-scheme:light dark;\(ChartPalette.light);\(light)}\n"
    + "@media (prefers-color-scheme:dark){:root{\(ChartPalette.dark);\(dark)}}\n"
    + layout + figures + tables + print + ChartPalette.rules + alignment

  /// The colours and rules of charts and of the columns of tables, for a page with a style of its own, which follows the
  /// reader unless its root has the class `light` or `dark`.
  package static let charts =
    ":root{\(ChartPalette.light)}\n@media (prefers-color-scheme:dark){:root:not(.light){\(ChartPalette.dark)}}\n"
    + ":root.dark{\(ChartPalette.dark)}\n" + ChartPalette.rules + alignment

  /// Columns of numbers end on the right.
  static let alignment =
    (2...ChartTable.mostAlignedColumns + 1).map { ".n\($0) :nth-child(\($0))" }.joined(separator: ",")
    + "{text-align:right}\n"

  private static let layout = """
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
    body{margin:0;background:var(--_page);color:var(--_fg);font:16px/1.55 \(ChartPalette.fonts);overflow-wrap:anywhere}
    a{color:var(--_link)}
    :focus-visible{outline:3px solid var(--_link);outline-offset:2px;border-radius:6px}
    main:focus{outline:none}
    .vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    .skip{position:absolute;left:1rem;top:-4rem;background:var(--_bg);padding:.5rem 1rem;border-radius:8px;z-index:2}
    .skip:focus{top:1rem}
    .top,.page,footer{max-width:1180px;margin:0 auto;padding:0 clamp(1rem,4vw,2.5rem)}
    .top{padding-top:clamp(1.75rem,5vw,3.25rem);padding-bottom:1.5rem}
    h1{font-size:clamp(1.6rem,1.2rem + 2vw,2.4rem);line-height:1.15;letter-spacing:-.02em;margin:0 0 .5rem;text-wrap:balance}
    .headline{font-size:clamp(1.1rem,1rem + .6vw,1.35rem);line-height:1.4;margin:0 0 .6rem;max-width:44rem;text-wrap:pretty}
    .top .sub{color:var(--_muted);margin:0 0 .35rem;max-width:44rem}
    .origin{color:var(--_muted);font-size:.875rem;margin:0}
    nav{margin:0 0 1.5rem}
    nav h2{font-size:.75rem;letter-spacing:.07em;text-transform:uppercase;color:var(--_muted);margin:0 0 .5rem;font-weight:650}
    nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.4rem}
    nav a{display:block;padding:.3rem .75rem;border:1px solid var(--_line);border-radius:1rem;background:var(--_bg);text-decoration:none;font-size:.875rem}
    nav a:hover{border-color:var(--_link)}
    nav summary{font-size:.95rem}
    nav details{border:1px solid var(--_line);border-radius:12px;background:var(--_bg);padding:.5rem .9rem;margin:0}
    nav details ul{padding:.5rem 0 .25rem}
    nav.above{display:none}
    @media (max-width:639px){nav.above{display:block}nav.beside{display:none}}
    @media (min-width:1080px){
    .page{display:grid;grid-template-columns:190px minmax(0,1fr);gap:2.5rem;align-items:start}
    nav{position:sticky;top:1.5rem;margin:0 0 0 -.65rem;padding-left:.65rem;max-height:calc(100vh - 3rem);overflow:auto}
    nav ul{flex-direction:column;gap:.1rem}
    nav a{border-color:transparent;background:none;border-radius:8px;padding:.35rem .65rem;margin-left:-.65rem}
    nav a:hover{background:var(--_bg)}
    }
    footer{padding-top:.5rem;padding-bottom:3rem}

    """

  private static let figures = """
    .cards{list-style:none;margin:0 0 1.25rem;padding:0;display:flex;flex-wrap:wrap;gap:.9rem}
    .cards>.card{flex:1 1 11rem}
    @media (max-width:639px){.cards{gap:.6rem}.cards>.card{flex-basis:40%}}
    .card,.panel{background:var(--_bg);border:1px solid var(--_line);border-radius:14px;box-shadow:var(--_shadow)}
    .card{padding:1rem 1.1rem 1.05rem;display:flex;flex-direction:column;align-items:flex-start;gap:.15rem}
    .card .label{font-size:.85rem;color:var(--_muted)}
    .card .value{font-size:1.5rem;font-weight:680;letter-spacing:-.02em;line-height:1.2;font-variant-numeric:tabular-nums}
    .card .change{font-size:.8rem;font-weight:600;padding:.1rem .55rem;border-radius:1rem;background:var(--_page);color:var(--_muted);margin-top:.25rem}
    .card .better{color:var(--_good);background:var(--_good-bg)}
    .card .worse{color:var(--_bad);background:var(--_bad-bg)}
    .card .detail{font-size:.8rem;color:var(--_muted);margin-top:.25rem}
    .panel{padding:clamp(1.1rem,3vw,1.75rem);margin:0 0 1.25rem}
    .panel h2{font-size:1.25rem;line-height:1.3;letter-spacing:-.01em;margin:0 0 .5rem}
    .fold{margin:0;padding:0;border:0}
    .fold>summary{width:auto;padding:0;display:flex;align-items:center;justify-content:space-between;list-style:none}
    .fold>summary::-webkit-details-marker{display:none}
    .fold>summary::after{content:"+";font-size:1.4rem;font-weight:400;line-height:1;color:var(--_muted)}
    .fold[open]>summary::after{content:"–"}
    .fold>summary h2{margin:0;color:var(--_fg);font-size:1.1rem}
    .fold[open]>summary{margin-bottom:.75rem}
    .panel:has(>.fold:not([open])){padding-block:.8rem;margin-bottom:.6rem}
    .panel p{margin:0 0 .75rem;max-width:44rem}
    figure{margin:1rem 0 .75rem}
    figcaption{margin:0 0 .6rem}
    figcaption span{display:block}
    figcaption .name{font-weight:620}
    figcaption .sub{font-size:.875rem;color:var(--_muted)}
    svg.kc{display:block;width:100%;height:auto}
    svg.wide{max-width:60rem}
    svg.narrow{display:none}
    @media (max-width:639px){svg.wide{display:none}svg.narrow{display:block;max-width:30rem}}
    .notes{margin:.6rem 0 0;padding-left:1.1rem;font-size:.875rem;color:var(--_muted);max-width:48rem}
    .notes li{margin:.15rem 0}

    """

  private static let tables = """
    details{margin:.75rem 0 0;border-top:1px solid var(--_line);padding-top:.6rem}
    summary{cursor:pointer;color:var(--_link);font-size:.9rem;font-weight:600;padding:.2rem .1rem;width:fit-content}
    .scroll{overflow:auto;max-height:28rem;border:1px solid var(--_line);border-radius:10px;margin-top:.6rem;background:linear-gradient(90deg,var(--_bg),transparent) 0 0/2rem 100% no-repeat local,linear-gradient(270deg,var(--_bg),transparent) 100% 0/2rem 100% no-repeat local,linear-gradient(90deg,var(--_edge),transparent) 0 0/.7rem 100% no-repeat scroll,linear-gradient(270deg,var(--_edge),transparent) 100% 0/.7rem 100% no-repeat scroll}
    .scroll.whole{max-height:none}
    table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}
    th,td{padding:.45rem .85rem;text-align:left;white-space:nowrap;max-width:26rem;overflow:hidden;text-overflow:ellipsis}
    tbody th a{text-decoration:none}
    tbody th a:hover{text-decoration:underline}
    thead th{position:sticky;top:0;background:var(--_page);font-weight:620;white-space:normal;vertical-align:bottom}
    thead .long{min-width:11rem}
    tbody th{font-weight:500;white-space:normal;min-width:9rem}
    tbody tr+tr>*{border-top:1px solid var(--_line)}

    """

  private static let print = """
    @media print{
    :root{\(ChartPalette.light);\(light);--_page:#fff;--_shadow:none;color-scheme:light}
    nav,.skip,details:not([open]):not(.fold){display:none}
    body{font-size:10.5pt}
    .page{display:block}
    .top,.page,footer{max-width:none;padding-left:0;padding-right:0}
    .card,.panel,figure{page-break-inside:avoid;break-inside:avoid}
    h2{page-break-after:avoid;break-after:avoid}
    .scroll{max-height:none;overflow:visible}
    svg.wide{display:block}svg.narrow{display:none}
    }

    """
}
