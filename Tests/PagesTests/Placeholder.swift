import Testing
@testable import Pages
