// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights

/// Where a reader chooses the period of the analytics.
struct AnalyticsControls {
  let account: AccountInUse
  let now: Instant
  let clock: ZonedCalendar
  let period: Result<AnalyticsPeriod, AnalyticsPeriod.FieldFault>
  /// The days as they were asked for.
  let asked: (from: String?, to: String?)

  var html: HTML {
    "<div class=\"tools\"><div><nav class=\"seg\" aria-label=\"Period\">\(AnalyticsPeriod.Span.allCases.map(link))\(ownLink)</nav></div>\(ownForm)</div>"
  }

  private func link(_ span: AnalyticsPeriod.Span) -> HTML {
    let isCurrent = if case .success(.last(span)) = period { true } else { false }
    return link(span.title, .last(span), isCurrent: isCurrent)
  }

  private func link(_ title: String, _ period: AnalyticsPeriod, isCurrent: Bool) -> HTML {
    let mark: HTML? = isCurrent ? " aria-current=\"page\"" : nil
    return "<a href=\"\(account.address("analytics"))?\(period.query)\"\(mark)>\(title)</a>"
  }

  private var isOwn: Bool {
    if case .success(.last) = period { false } else { true }
  }

  /// Leads to the last month as a range, which can be changed then.
  private var ownLink: HTML {
    let month = AnalyticsPeriod.days(.init(at: now - .days(30), clock), .init(at: now, clock))
    return link("Own…", month, isCurrent: isOwn)
  }

  private var ownForm: HTML? {
    guard isOwn else { return nil }
    let today = AnalyticsPeriod.Day(at: now, clock).text
    let fault: AnalyticsPeriod.FieldFault? = if case .failure(let fault) = period { fault } else { nil }
    let texts: (String?, String?) =
      if case .success(.days(let first, let last)) = period {
        (first.text, last.text)
      } else {
        // A field for a day takes no other text.
        (
          asked.from.flatMap { AnalyticsPeriod.Day($0, clock) }?.text,
          asked.to.flatMap { AnalyticsPeriod.Day($0, clock) }?.text
        )
      }
    return """
      <form class="range" action="\(account.address("analytics"))">\(field("from", "First day", texts.0, today, fault?.first))\
      \(field("to", "Last day", texts.1, today, fault?.last))<button class="b">Show</button></form>
      """
  }

  private func field(
    _ name: String, _ label: String, _ value: String?, _ last: String, _ fault: String?
  ) -> HTML {
    let mark: HTML? = fault.map { _ in " aria-invalid=\"true\" aria-describedby=\"\(name)-error\"" }
    let error: HTML? = fault.map {
      "<p class=\"err\" id=\"\(name)-error\" role=\"alert\">\(Icon.warn.html)\($0)</p>"
    }
    return """
      <div class="field"><label for="\(name)">\(label)</label>\
      <input class="inp" type="date" id="\(name)" name="\(name)" value="\(value ?? "")" max="\(last)" required\(mark)>\(error)</div>
      """
  }
}
