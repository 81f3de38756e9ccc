// SPDX-License-Identifier: Apache-2.0

import KithInsights

/// A control of a form with its label, its help and what is wrong with it.
struct FormField {
  /// Its name in the form, and its id.
  let name: String
  let label: String
  var help: HTML?
  /// What is wrong with what was sent, as a sentence; nil if nothing is.
  var error: String?

  /// - Parameter control: makes the control of its attributes: id, name, and what describes it.
  func html(_ control: (HTML) -> HTML) -> HTML {
    let helpID: HTML? = help == nil ? nil : "\(name)-help"
    let errorID: HTML? = error == nil ? nil : "\(name)-error "
    let describedBy: HTML? = help == nil && error == nil ? nil : " aria-describedby=\"\(errorID)\(helpID)\""
    let invalid: HTML? = error == nil ? nil : " aria-invalid=\"true\""
    return """
      <div class="field"><label for="\(name)">\(label)</label>\(control("id=\"\(name)\" name=\"\(name)\"\(describedBy)\(invalid)"))\
      \(error.map { "<span class=\"err\" id=\"\(name)-error\">\(Icon.warn.html)<span>\($0)</span></span>" as HTML })\
      \(help.map { "<span class=\"help\" id=\"\(name)-help\">\($0)</span>" as HTML })</div>
      """
  }
}
