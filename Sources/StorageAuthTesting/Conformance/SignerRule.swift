/// What a signer of HTTP requests has to keep.
public enum SignerRule: String, CaseIterable, Sendable {
  /// Signing depends on nothing but its inputs.
  case determinism = "the same request, credential and time give the same signature"
  /// A request is signed as a whole or not at all.
  case atomicity = "where signing throws, the request is as it was, and the error says what is wrong and what to do"
  /// What a server reads stays as it is.
  case untouchedPath = "method, scheme, host and path stay as they are, byte for byte"
  /// What was given stays.
  case keptHeaders = "the headers that were given stay, with their values and in their order"
  /// Headers have no order among each other.
  case headerOrder = "the order of headers with different names does not matter"
  /// A request can be signed again after a refresh.
  case resigning = "signing a signed request gives what signing it for the first time gives"
  /// An anonymous credential signs nothing.
  case anonymity = "an anonymous credential leaves the request as it is"
  /// The signature proves that the secret is known.
  case boundSecret = "another secret gives another signature"
  /// The signature is of its time.
  case boundDate = "another date gives another signature"
  /// The signature is for one method.
  case boundMethod = "another method gives another signature"
  /// The signature is for one path.
  case boundPath = "another path gives another signature"
  /// A credential that cannot be sent is refused, not bent into shape.
  case refusal = "a credential that cannot be sent is refused, such as an empty id or a token with a line break"
  /// What is secret stays here.
  case secrecy = "no secret is in the signed request or in an error"
  /// A deadline is never in the past.
  case validity = "a credential has to live at least until the moment of signing"
}
