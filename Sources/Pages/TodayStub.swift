package import Care
package import Foundation
package struct TodayPage {
  package init(_ reader: any StoreReader, viewer: Viewer, date: Date, notice: Notice?) throws {}
  package func html(_ site: Site) -> String { "today" }
}
package struct EventPage {
  package init(_ reader: any StoreReader, viewer: Viewer, event: String, notice: Notice?) throws {}
  package func html(_ site: Site) -> String { "event" }
}
