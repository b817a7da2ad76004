import Assessments
import Care
import Plans
import StrictYAML

extension PlanFile {
  /// Reads a plan with every active task that there is.
  static func parse(_ text: String, file: String) throws(YAMLError) -> PlanDocument {
    try parse(text, file: file, activeTasks: AssessmentList.forms)
  }
}
