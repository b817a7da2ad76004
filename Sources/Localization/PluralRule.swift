/// The rule by which a whole number chooses the form of a text in a language.
///
/// The categories and rules are those of Unicode CLDR (supplemental/plurals.xml, release 46), of which
/// only the parts for whole numbers stand here: a text counts things.
package enum PluralRule: Sendable {
  /// No form depends on the number: Chinese, Japanese, Korean, Vietnamese, Thai, Indonesian.
  case invariant
  /// `one` for 1: English, German, Spanish and most others.
  case oneOther
  /// `one` for 0 and 1: French, Portuguese, Hindi, Persian.
  case zeroIsOne
  /// `one`, `few` and `many`: Polish.
  case polish
  /// `one`, `few` and `many`: Russian, Ukrainian, Belarusian, Serbian, Croatian, Bosnian.
  case eastSlavic
  /// `one` and `few`: Czech, Slovak.
  case westSlavic
  /// `zero`, `one`, `two`, `few` and `many`: Arabic.
  case arabic
  /// `one` and `two`: Hebrew.
  case hebrew

  /// A plural category of CLDR.
  package enum Category: String, Sendable, CaseIterable {
    case zero, one, two, few, many, other
  }

  /// The rule of a language; ``oneOther`` if it has none here.
  ///
  /// - Parameter tag: The BCP 47 tag: `pl`, `zh-Hant`.
  package init(language tag: String) {
    self =
      switch tag.split(separator: "-").first.map({ $0.lowercased() }) {
      case "zh", "ja", "ko", "vi", "th", "id", "ms": .invariant
      case "fr", "pt", "hi", "fa": .zeroIsOne
      case "pl": .polish
      case "ru", "uk", "be", "sr", "hr", "bs": .eastSlavic
      case "cs", "sk": .westSlavic
      case "ar": .arabic
      case "he": .hebrew
      default: .oneOther
      }
  }

  /// The category of a whole number; of its magnitude if it is negative.
  package func category(of number: Int) -> Category {
    let number = number.magnitude
    let (tens, hundreds) = (number % 10, number % 100)
    let isFew = (2...4).contains(tens) && !(12...14).contains(hundreds)
    return switch self {
    case .invariant: .other
    case .oneOther: number == 1 ? .one : .other
    case .zeroIsOne: number <= 1 ? .one : .other
    case .polish: number == 1 ? .one : isFew ? .few : .many
    case .eastSlavic: tens == 1 && hundreds != 11 ? .one : isFew ? .few : .many
    case .westSlavic: number == 1 ? .one : (2...4).contains(number) ? .few : .other
    case .hebrew: number == 1 ? .one : number == 2 ? .two : .other
    case .arabic:
      switch number {
      case 0: .zero
      case 1: .one
      case 2: .two
      default: (3...10).contains(hundreds) ? .few : hundreds >= 11 ? .many : .other
      }
    }
  }

  /// The categories that whole numbers have.
  package var categories: Set<Category> { Set((0...199).map(category)) }
}
