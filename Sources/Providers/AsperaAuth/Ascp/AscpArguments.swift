// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// Arguments for ascp that a caller adds to those of a transfer specification.
///
/// Only options in a list are permitted, which determine rates, the selection of files and the treatment of their
/// attributes. No permitted option contains a secret, writes or reads files other than those of the transfer, starts
/// another program, or changes the server, the login or the encryption. ascp uses the last of several equal options, so
/// that an argument replaces the field of the specification. The source of the options is IBM's ["Ascp command
/// reference"](https://www.ibm.com/docs/en/SSL85S_4.4/hsts_admin_linux/ascp_usage.html).
///
/// ```swift
/// options.additional = try AscpArguments(["-l", "100000", "--overwrite=never"])
/// ```
public struct AscpArguments: Sendable, Hashable {
  private enum ValueForm: Sendable {
    case none
    /// An integer, followed by a unit of ascp if `allowsUnit` is true.
    case number(allowsUnit: Bool)
    case word([String])
    case line
  }

  private static let units = ["K", "k", "M", "m", "G", "g"].map { Array($0.utf8) }
  private static let attributeStorage = ValueForm.word(TransferField.attributeStorageWords)

  private static let options: [String: ValueForm] = [
    "-l": .number(allowsUnit: true), "-m": .number(allowsUnit: true), "-Z": .number(allowsUnit: false),
    "-g": .number(allowsUnit: true), "-G": .number(allowsUnit: true), "-X": .number(allowsUnit: false),
    "-k": .word(["0", "1", "2", "3"]), "-E": .line, "-N": .line, "-p": .none, "-d": .none, "-6": .none,
    "--policy": .word(RatePolicy.rawValues), "--overwrite": .word(OverwritePolicy.rawValues),
    "--symbolic-links": .word(SymbolicLinkPolicy.rawValues), "--exclude-newer-than": .line,
    "--exclude-older-than": .line, "--file-checksum": .word(TransferField.checksumWords),
    "--multi-session-threshold": .number(allowsUnit: false), "--preserve-acls": attributeStorage,
    "--preserve-xattrs": attributeStorage, "--remote-preserve-acls": attributeStorage,
    "--remote-preserve-xattrs": attributeStorage, "--preserve-access-time": .none, "--preserve-creation-time": .none,
    "--preserve-modification-time": .none, "--preserve-file-owner-gid": .none, "--preserve-file-owner-uid": .none,
    "--preserve-source-access-time": .none, "--precalculate-job-size": .none, "--precalculate-disable": .none,
    "--save-before-overwrite": .none, "--skip-special-files": .none, "--skip-dir-traversal-dupes": .none,
  ]

  /// The names of the permitted options, in order.
  public static var permittedOptions: [String] { options.keys.sorted() }

  let arguments: [String]

  /// Creates an empty list of arguments.
  public init() { arguments = [] }

  /// Checks arguments for ascp.
  ///
  /// A value can be the next argument, or follow its option directly (`-l100`, `--policy=fair`).
  ///
  /// - Parameter arguments: The arguments, without the paths of files.
  /// - Throws: An ``AsperaError``: `unsupported` if an option is not permitted, `invalidSpecification` for a bad value.
  public init(_ arguments: [String]) throws(AsperaError) {
    var checkedArguments: [String] = []
    var unreadArguments = arguments[...]
    while let argument = unreadArguments.popFirst() {
      let (name, attachedValue) = Self.parts(of: argument)
      guard let form = Self.options[name], name.utf8.allSatisfy({ $0 < 0x80 }) else { throw Self.notPermitted(name) }
      checkedArguments.append(name)
      if case .none = form {
        guard attachedValue == nil else { throw Self.invalid(name, "has no value", remedy: "Pass the option alone.") }
        continue
      }
      guard let value = attachedValue ?? unreadArguments.popFirst() else {
        throw Self.invalid(name, "needs a value", remedy: "Pass the value as the next argument.")
      }
      if let expectation = Self.expectation(of: form, unmetBy: value) {
        throw Self.invalid(name, "has a value that is not \(expectation)", remedy: "Correct the value.")
      }
      checkedArguments.append(value)
    }
    self.arguments = checkedArguments
  }

  /// Returns the option's name, and the value that follows it directly, if there is one.
  private static func parts(of argument: String) -> (name: String, value: String?) {
    guard !argument.hasBytePrefix("--") else {
      let parts = argument.parts(between: "=", maxSplits: 1)
      return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }
    let scalars = argument.unicodeScalars
    let value = String(scalars.dropFirst(2))
    return (String(scalars.prefix(2)), value.isEmpty ? nil : value)
  }

  private static func expectation(of form: ValueForm, unmetBy value: String) -> String? {
    // Values are compared as bytes, because Swift considers some characters equal that differ on the wire.
    switch form {
    case .none: return nil
    case .number(let allowsUnit):
      let digits = value.utf8.prefix(while: \.isASCIIDigit)
      let unit = Array(value.utf8.dropFirst(digits.count))
      // Each number of 18 digits fits into 64 bits.
      let isNumber = (1...18).contains(digits.count) && (unit.isEmpty || allowsUnit && units.contains(unit))
      return isNumber ? nil : allowsUnit ? "a number, with or without the unit K, M or G" : "a number"
    case .word(let words):
      return words.contains { $0.utf8.elementsEqual(value.utf8) } ? nil : "one of \(words.joined(separator: ", "))"
    case .line:
      return value.isEmpty || value.unicodeScalars.contains(where: \.isLineBreakOrNUL) ? "a line of text" : nil
    }
  }

  private static func notPermitted(_ name: String) -> AsperaError {
    // A name of more than a word could be a value, such as a secret that was passed without its option.
    let isOptionName =
      name.beginsWithByte("-") && (2...40).contains(name.utf8.count)
      && name.utf8.dropFirst().allSatisfy { $0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isLetter }
    return AsperaError(
      .unsupported,
      isOptionName
        ? "The option \(name) is not permitted as an additional argument of ascp."
        : "An additional argument of ascp is not an option.",
      remedy: "Use a field of the specification, or one of: \(permittedOptions.joined(separator: ", ")).")
  }

  private static func invalid(_ name: String, _ problem: String, remedy: String) -> AsperaError {
    AsperaError(.invalidSpecification, "The additional argument \(name) of ascp \(problem).", remedy: remedy)
  }
}
