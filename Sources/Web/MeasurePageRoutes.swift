import Access
import Assessments
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Measurement
import NIOCore
import Pages

/// The pages on which a person measures, with a sensor or on the screen, and their forms.
struct MeasurePageRoutes {
  let environment: WebEnvironment
  let pages: PageRoutes
  let site: Site

  func add(to router: Router<WebContext>) {
    router.get("events/:event/measure", use: page)
    router.post("events/:event/measure/start") { request, context in
      try await change(request, context) { measuring, event, context in
        let now = environment.now()
        return try await environment.store.read { reader in
          _ = try measuring.open(try context.event(event, in: reader, now: now), true, reader)
          return nil
        }
      }
    }
    for action in [MeasuringAction.done, .again, .cancel] {
      router.post(RouterPath("events/:event/measure/\(action.rawValue)")) { request, context in
        try await change(request, context) { measuring, event, context in
          let id = try Self.session(of: event, measuring, context)
          _ = try measuring.perform(action, id)
          return nil
        }
      }
    }
    router.post("events/:event/measure/keep") { request, context in
      try await change(request, context) { measuring, event, context in
        let id = try Self.session(of: event, measuring, context)
        _ = try await measuring.keep(id)
        return .answered(event)
      }
    }
    router.post("events/:event/perform", use: perform)
  }

  @Sendable private func page(_ request: Request, _ context: WebContext) async throws -> Response {
    let names = Set(["patient", "lang"]).union(Notice.queryNames)
    let query = try QueryItems(request, known: names, allowsEmpty: true)
    let event = try context.parameters.require("event")
    let (now, scope) = (environment.now(), context.scope(.read))
    let status = environment.measuring?.statusOfEvent(event)
    let html = try await environment.store.read { reader in
      let reader = scope.reader(reader)
      let viewer = try pages.viewer(reader, query, of: request, context, now: now)
      guard
        let page = try MeasurePage(
          reader, viewer: viewer, event: event, status: status,
          hasRadio: environment.measuring != nil, notice: Notice(query.values))
      else { throw Fault(.unknown, "There is no event ‘\(event)’.") }
      return page.html(site)
    }
    var response = Response.page(html, status: .ok)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  // MARK: Tests on the screen

  /// Shows the result of a test on the screen, or saves it if the person keeps it.
  @Sendable private func perform(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("event")
    let query = try QueryItems(request, known: [])
    let form = try await FormBody(request, context)
    let text = form.exactly("performance")
    let notice: Notice
    do {
      let performance = try JSONBody.read(PerformanceInput.self, from: Array(text.utf8)).performance
      guard form["keep"] != nil else {
        return try await show(performance, text: text, of: id, query, request, context)
      }
      let event = try await EventChanges(environment, context).perform(id) {
        PerformOnScreen($1, performance)
      }
      notice = .answered(event.id)
      return PageRoutes.redirect(to: FormRoutes.address(form.back, notice))
    } catch let refusal as AssessmentRefusal {
      notice = .refused(refusal)
    } catch let error as StoreError {
      notice = Notice(error)
    } catch let fault as Fault where fault.kind == .malformed {
      notice = .refused("performance")
    }
    context.note.fail()
    // There the test is repeated, or the page says why it cannot be.
    let page = LocalAddress("events", id, "perform").description
    return PageRoutes.redirect(to: FormRoutes.address(page, notice))
  }

  /// The page of a test's result, which is not stored.
  private func show(
    _ performance: ScreenPerformance, text: String, of id: String, _ query: QueryItems,
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let now = environment.now()
    let html = try await environment.store.read { reader in
      let event = try context.event(id, in: reader, now: now)
      let values = try performance.outcomeValues(of: event, now: now)
      let reader = context.scope(.read).reader(reader)
      let viewer = try pages.viewer(reader, query, of: request, context, now: now)
      guard
        let page = try PerformPage(
          reader, viewer: viewer, event: event.id, notice: nil, performed: (text, values))
      else { throw Fault(.unknown, "There is nothing to perform at ‘\(id)’.") }
      return page.html(site)
    }
    // To see a result is no change.
    context.note.skip()
    return .page(html, status: .ok)
  }

  // MARK: Sessions

  /// The session of an event whose patient the sender may answer for.
  private static func session(
    of event: String, _ measuring: Measuring, _ context: WebContext
  ) throws -> String {
    guard let id = measuring.statusOfEvent(event)?.id else { throw MeasuringFault.unknown }
    return try context.session(id, measuring, for: .answer).id
  }

  /// Changes a session and returns to its page, or to that of the event.
  private func change(
    _ request: Request, _ context: WebContext,
    _ body: (Measuring, String, WebContext) async throws -> Notice?
  ) async throws -> Response {
    let event = try context.parameters.require("event")
    _ = try await FormBody(request, context)
    let page = LocalAddress("events", event, "measure").description
    let notice: Notice
    do {
      guard let done = try await body(try environment.sessions, event, context) else {
        return PageRoutes.redirect(to: page)
      }
      return PageRoutes.redirect(
        to: FormRoutes.address(LocalAddress("events", event).description, done))
    } catch let fault as MeasuringFault {
      notice = .refused(fault)
    } catch let error as StoreError {
      notice = Notice(error)
    }
    context.note.fail()
    return PageRoutes.redirect(to: FormRoutes.address(page, notice))
  }
}
