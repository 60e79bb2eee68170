import Foundation
import Hummingbird
import StorageAuth
import Synchronization

/// The users of the app, and the tokens of those who have logged in.
final class Logins: Sendable {
  private let passwords = ["mia": Secret("cat-lover-1"), "noah": Secret("dog-lover-2")]
  private let tokens = Mutex<[String: String]>([:])

  /// Returns a token for a user, or `nil` if the name or the password is wrong.
  func token(for login: Login) -> String? {
    guard passwords[login.name] == Secret(login.password) else { return nil }
    let token = UUID().uuidString
    tokens.withLock { $0[token] = login.name }
    return token
  }

  /// Returns the name of the user with a token, or `nil`.
  func user(of token: String) -> String? { tokens.withLock { $0[token] } }
}

/// The body of the request to log in.
struct Login: Codable {
  let name: String
  let password: String
}
