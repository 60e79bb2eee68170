// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// All strings that Swift can create from a value, such as those in a log line, a failed assertion or a debugger.
///
/// ```swift
/// XCTAssertEqual(DisplayedTexts(of: key).containing(["my-secret"]), [])
/// ```
public struct DisplayedTexts {
  /// The strings that result from printing, debug-printing, dumping and interpolating the value, and from its mirror.
  public let all: [String]

  /// Creates the strings that display a value, by itself and inside an array, an optional and a dictionary.
  public init(of value: Any) {
    let wrapped: [Any] = [value, [value], Optional(value) as Any, ["key": value]]
    all = wrapped.flatMap(Self.texts)
  }

  /// Returns the secrets that occur in at least one of the strings.
  ///
  /// - Parameter secrets: The secrets to search for; an empty secret is ignored. A secret that consists of letters and
  ///   digits is also found in encoded text.
  public func containing(_ secrets: [String]) -> [String] {
    secrets.filter { secret in !secret.isEmpty && all.contains { $0.contains(secret) } }
  }

  private static func texts(of value: Any) -> [String] {
    var printed = ""
    print(value, to: &printed)
    var debugPrinted = ""
    debugPrint(value, to: &debugPrinted)
    var dumped = ""
    dump(value, to: &dumped)
    var mirrored = ""
    append(mirrorOf: value, to: &mirrored, depth: 0)
    return [printed, debugPrinted, dumped, mirrored, "\(value)", String(describing: value), String(reflecting: value)]
  }

  /// Appends a value and everything that its mirror contains, down to a depth, because references can form a cycle.
  private static func append(mirrorOf value: Any, to text: inout String, depth: Int) {
    text += "\(value) "
    guard depth < 12 else { return }
    var nextMirror: Mirror? = Mirror(reflecting: value)
    while let mirror = nextMirror {
      for child in mirror.children {
        text += (child.label ?? "") + " "
        append(mirrorOf: child.value, to: &text, depth: depth + 1)
      }
      nextMirror = mirror.superclassMirror
    }
  }
}
