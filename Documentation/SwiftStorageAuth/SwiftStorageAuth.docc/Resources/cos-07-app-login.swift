import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The error of a login that the server has refused.
struct LoginFailed: Error {}

/// Logs a user in, and returns the token of the session.
func logIn(_ name: String, _ password: String) async throws -> String {
  guard let url = URL(string: "http://127.0.0.1:8080/login") else { throw LoginFailed() }
  var request = URLRequest(url: url)
  request.httpMethod = "POST"
  request.setValue("application/json", forHTTPHeaderField: "Content-Type")
  request.httpBody = try JSONEncoder().encode(["name": name, "password": password])
  let (body, response) = try await URLSession.shared.data(for: request)
  guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw LoginFailed() }
  return String(decoding: body, as: UTF8.self)
}
