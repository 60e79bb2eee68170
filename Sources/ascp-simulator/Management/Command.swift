/// A command of the management port's client to a persistent session.
enum Command: Sendable {
  case start(source: String, destination: String?)
  case finish
}
