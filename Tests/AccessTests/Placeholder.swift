import Testing
@testable import Access
