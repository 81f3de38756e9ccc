// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships

extension OutputFormat {
  /// The format for a file name extension; HTML for unknown ones.
  ///
  /// - Throws: ``CommandFault`` `usage` for an unknown one.
  init(ofReport file: String) throws(CommandFault) {
    switch Program.fileType(of: file) {
    case "html", "htm", nil: self = .html
    case "md", "markdown": self = .md
    case "svg": self = .svg
    default:
      throw CommandFault(
        .usage, .unknownFileType(file, known: [".html", ".md", ".svg"], format: "html, md or svg"))
    }
  }

  fileprivate func text(_ report: InsightReport) -> String {
    switch self {
    case .md: report.markdown()
    case .svg: report.svg()
    case .html, .table, .json, .ndjson, .csv: report.html()
    }
  }
}

extension InsightRun {
  /// Writes a report to a file, which appears once it is complete; `-` is standard output.
  func writeReport(_ request: InsightRequest, to path: String, as form: OutputFormat) async throws {
    // A file that cannot be written is reported before any call.
    let file = path == "-" ? nil : try OutputFile(path: path)
    try await collect(request) { insights in
      let bytes = Array(form.text(insights.report(of: request.metrics)).utf8)
      guard let file else { return try OutputDescriptor.standardOutput.write(bytes) }
      try OutputDescriptor(number: file.descriptor, name: path).write(bytes)
      try file.finish()
      if !wiring.common.quiet { StandardError.say(.reportWritten(path, bytes: bytes.count)) }
    }
  }

  /// Prints the estimated cost of a run.
  func explain(_ request: InsightRequest) async throws {
    let actor = ATIdentifier.did(request.actor)
    let counts = try await NetworkCounts(client: wiring.appview).entries(
      of: [.followers(of: actor), .follows(of: actor)])
    let sizes = SampleSizes(options.sample, followers: counts[0] ?? 0)
    var plan = CostPlan(concurrency: wiring.concurrency)
    plan.addSnapshot(request.sides, followers: counts[0], follows: counts[1])
    if request.needsDates { plan.addFollowDates(of: min(sizes.dates, counts[0] ?? sizes.dates)) }
    var survey = SurveySize()
    survey.posts = request.needsPosts ? options.posts : 0
    if request.needsSample { survey.profiles = sizes.profiles }
    if request.wants(.top) {
      (survey.reactions, survey.candidates) = (min(sizes.posts, options.posts), SampleSizes.candidates)
      survey.influence = sizes.influence
    }
    if request.wants(.activity) { survey.activity = sizes.activity }
    if request.wants(.audience) || request.wants(.bots) { survey.latestPosts = sizes.activity }
    plan.add(survey)
    plan.targets = counts[0]
    try wiring.common.print(plan, concurrency: wiring.concurrency, environment: wiring.environment)
  }
}
