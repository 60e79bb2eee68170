internal import StorageCrypto

/// How the names of parameters are spelt and sorted in the text that is signed.
///
/// All the vendor's SDKs agree on names of letters, digits and hyphens. On others some differ from the documentation,
/// and a server has to take what they send.
enum COSSpelling: CaseIterable {
  /// As documented: encoded, then in lower case, sorted in that form; equal names by value.
  case standard
  /// As the JavaScript SDKs: spelt as documented, sorted by the name before it is encoded.
  case sortedByRawName
  /// As the iOS SDK: in lower case, then encoded, so that escapes are in upper case.
  case upperCaseEscapes
  /// As the Android SDK: a repeated name is listed once and its values stay in the order of the URL.
  case wireOrder

  /// The order of the parameters.
  var order: EncodedOrder {
    self == .sortedByRawName ? .decodedLowered : .encodedLowered
  }

  /// The case of a name.
  var nameCase: EncodedCase {
    self == .upperCaseEscapes ? .loweredLetters : .lowered
  }
}
