package import StorageAuth

/// Where a setting stands, for errors.
package struct SettingLocation: Sendable {
  /// The name of the provider.
  package let source: String

  /// Where it stands, as the subject of a sentence: `The profile “default” in /home/mia/.aliyun/config.json`.
  package let name: String

  /// How to put it right, in a sentence.
  package let remedy: String

  package init(source: String, name: String, remedy: String) {
    self.source = source
    self.name = name
    self.remedy = remedy
  }

  /// An error about this place.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - predicate: The rest of the sentence that begins with the place.
  ///   - remedy: What to do, where that is not what is always to be done here.
  package func error(
    _ code: CredentialError.Code, _ predicate: String, remedy: String? = nil, isRetryable: Bool = false
  ) -> CredentialError {
    CredentialError(
      code, source: source, "\(name) \(predicate).", remedy: remedy ?? self.remedy, isRetryable: isRetryable)
  }

  /// An error about a value of this place.
  package func malformed(_ predicate: String, remedy: String? = nil) -> CredentialError {
    error(.malformedAnswer, predicate, remedy: remedy)
  }
}

extension String {
  /// The text in quotation marks if it looks like a name; otherwise how long it is, because it may be a secret that got
  /// into the wrong place.
  package var shownIfName: String {
    let isName = utf8.count <= 24 && allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") }
    return isName ? "“\(self)”" : "a text of \(utf8.count) bytes"
  }
}

extension CredentialError {
  /// The same error, as the answer to a source that asked another.
  fileprivate func inside(_ place: SettingLocation) -> CredentialError {
    CredentialError(
      code == .notConfigured ? .failed : code, source: "\(place.source): \(source)", "\(place.name): \(message)",
      remedy: remedy, isRetryable: isRetryable, declined: declined)
  }
}

extension CredentialProvider {
  /// Asks this provider because somebody wrote down that it is to be used: where it would decline, that is an error.
  ///
  /// - Parameter place: Where it is written down.
  func issue(for place: SettingLocation) async throws(CredentialError) -> IssuedCredential<Value> {
    do {
      let issued = try await issue()
      return IssuedCredential(
        issued.credential, issuerTime: issued.issuerTime, source: "\(place.source): \(issued.source ?? source)")
    } catch {
      throw error.inside(place)
    }
  }
}
