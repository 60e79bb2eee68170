/// What a verifier has to keep, together with the signer whose requests it accepts.
public enum VerifierRule: String, CaseIterable, Sendable {
  /// What is rightly signed is accepted, and read as it was meant.
  case acceptance = "what the signer signs is accepted, under the id of the key and for the target that was meant"
  /// Nothing is accepted without an authorization.
  case unsigned = "a request without an authorization makes no claim"
  /// The signature covers the path and the query.
  case path = "no byte of the path or the query can be another one"
  /// The signature covers the headers.
  case headers = "no signed header can have another byte, be left out, or be there twice"
  /// The signature covers the method.
  case method = "another method is refused"
  /// The signature covers the host.
  case host = "no byte of the host can be another one"
  /// The signature proves that the secret is known.
  case secret = "a key with another secret, another id or another session token is refused"
  /// A signature ends.
  case time = "a signature is refused long before and after its time, and a URL right after its end"
  /// What is secret stays here.
  case secrecy = "no secret and no session token is in a refusal"
}
