/// What the client of the management port asks a persistent session for.
enum Command: Sendable {
  case start(source: String, destination: String?)
  case finish
}
