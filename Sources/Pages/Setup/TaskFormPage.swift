package import Care
import Foundation
package import Localization

/// The form of a task: what, how it looks, how often, when, what completes it, its goal.
package struct TaskFormPage: WizardPage {
  private let frame: Frame
  private var content: WizardScreen
  /// Whether the answers are complete and are to be saved.
  package let isToSave: Bool
  /// Whether an answer was refused.
  package let isRefused: Bool

  /// Reads the form's page.
  ///
  /// `draft` is the task as it is filled so far, `refusal` why it was not saved, if that was tried.
  ///
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, draft: TaskDraft, viewer: Viewer, refusal: String? = nil
  ) throws {
    let words = viewer.language
    let people = try reader.patients()
    let wizard = TaskWizard(draft: draft, people: people, viewer: viewer)
    let step = WizardStep(wizard)
    isToSave = step.screen == nil && refusal == nil
    isRefused = step.flaw != nil || refusal != nil
    let screen = step.screen ?? WizardStep.review
    var shown = draft
    // The first look at a screen has its usual answers.
    for input in wizard.inputs(of: screen, flaw: nil) where !shown.fields.has(input.name) {
      shown.fields[input.name] =
        input.line?.value ?? input.options?.list.first { $0.isChosen }?.value
    }
    let hasPreview = ["when", WizardStep.review].contains(screen)
    let schedule: Schedule? = if hasPreview { try? shown.schedule(targets: []) } else { nil }
    content = WizardScreen(
      wizard, step: step, flaw: refusal, action: LocalAddress("setup", "task").description,
      preview: schedule.map { DayPreview($0, viewer) }, saveTitle: words.text("wizard.save"),
      words: words)
    if let task = draft.original, screen == WizardStep.review {
      content.ownVideo = WizardScreen.OwnVideo(
        patient: task.patient, task: task.id, film: Film(of: task, words),
        address: task.ownVideo == nil ? task.video : nil)
    }
    frame = Frame(
      viewer: viewer, kicker: content.step,
      title: draft.original?.title ?? words.text("taskForm.new"),
      address: LocalAddress(
        "setup", "task",
        items: [
          ("patient", draft.fields["patient"]), ("task", draft.original?.id),
        ]))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("wizard", content, frame: frame) }

  /// Makes the task to be stored.
  ///
  /// - Returns: The task, or the words of what is wrong with it.
  package static func task(
    of draft: TaskDraft, patient: String, taken: Set<String>, words: Language
  ) -> Result<PlannedTask, Refusal> {
    do throws(DraftFlaw) {
      return .success(try draft.task(of: patient, taken: taken))
    } catch {
      return .failure(Refusal(text: error.text(words)))
    }
  }

  /// Makes the ready-made tasks to be stored.
  ///
  /// - Returns: The tasks, or the words of what is wrong with one.
  package static func tasks(
    of draft: ReadyTasksDraft, patient: String, taken: Set<String>, words: Language
  ) -> Result<[PlannedTask], Refusal> {
    do throws(DraftFlaw) {
      return .success(try draft.tasks(of: patient, taken: taken, words: words))
    } catch {
      return .failure(Refusal(text: error.text(words)))
    }
  }

  /// Why a form cannot be saved, in words.
  package struct Refusal: Error, Hashable {
    package let text: String
  }
}
