import Testing

@testable import Pages

/// A plan's text as elements of a page.
@Suite struct MarkdownTests {
  @Test(arguments: [
    ("One\ntwo\n\nthree", "<p>One<br>two</p><p>three</p>"),
    ("# Why\ntext", "<h3>Why</h3><p>text</p>"),
    ("###### Deep", "<h6>Deep</h6>"),
    (
      "- a\n- **b**\n  goes on\n1. c",
      "<ul><li>a</li><li><strong>b</strong> goes on</li></ul><ol><li>c</li></ol>"
    ),
    ("> said", "<blockquote><p>said</p></blockquote>"),
    ("*soft* _too_ `a < b`", "<p><em>soft</em> <em>too</em> <code>a &lt; b</code></p>"),
    ("3 * 4 * 5, #1", "<p>3 * 4 * 5, #1</p>"),
    (
      "[call](tel:+4930) [read](https://example.org/a?b=1&c=2)",
      "<p><a href=\"tel:+4930\" rel=\"noopener noreferrer\">call</a> "
        + "<a href=\"https://example.org/a?b=1&amp;c=2\" rel=\"noopener noreferrer\">read</a></p>"
    ),
  ])
  func `signs become elements`(text: String, html: String) {
    #expect(Markdown(text).html == html)
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "[x](javascript:alert(1))", "[x](data:text/html,1)",
    "**<img src=x onerror=alert(1)>**", "[<b>](https://e.org/\"onclick=\"x)", "`</code><script>`",
  ])
  func `nothing of a text becomes markup of its own`(text: String) {
    let html = Markdown(text).html
    #expect(Markup(html: html).fault == nil, "\(html)")
    for mark in ["<script", "<img", "href=\"javascript", "href=\"data", "onclick=\"", "<b>"] {
      #expect(!html.contains(mark), "\(html)")
    }
  }
}
