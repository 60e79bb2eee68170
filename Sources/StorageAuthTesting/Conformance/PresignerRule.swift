/// What a signer of URLs has to keep.
public enum PresignerRule: String, CaseIterable, Sendable {
  /// Signing depends on nothing but its inputs.
  case determinism = "the same request, credential, lifetime and time give the same URL"
  /// The path and the query of the request are the start of the URL.
  case appending = "the URL is the request's own with parameters behind it, and holds nothing that may not travel"
  /// The user of the URL learns what to send.
  case kept = "the method is the request's, and the headers to send are among the request's, with the same values"
  /// The user of the URL learns when it ends.
  case expiry =
    "the end that is reported is the date of signing and the lifetime, and a credential has to live that long"
  /// A URL does not outlive its credential.
  case endedCredential = "a credential that ends before the URL is refused with credentialEndsFirst"
  /// An anonymous credential signs nothing.
  case anonymity = "an anonymous credential is refused"
  /// A lifetime is a positive number of seconds.
  case lifetime = "a lifetime of nothing, or a negative one, is refused"
  /// A credential that cannot be sent is refused, not bent into shape.
  case refusal = "a credential that cannot be sent is refused, such as an empty id or a token with a line break"
  /// What is secret stays here.
  case secrecy = "no secret is in the URL or in an error, and no description shows the query of the URL"
}
