// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The login of the user, for the views of the app.
@MainActor @Observable
final class LoginModel {
  /// The session, or `nil` if no user has logged in.
  private(set) var session: Session?

  /// The reason for which the last login failed, or `nil`.
  private(set) var problem: String?

  @ObservationIgnored let service: PhotoService
  @ObservationIgnored private let store: any SessionStore

  /// Creates the model, with the session that the store has kept.
  init(_ service: PhotoService, store: any SessionStore) {
    self.service = service
    self.store = store
    session = store.load()
  }

  /// Logs in at the app's server, and keeps the session.
  func logIn(_ name: String, password: String) async {
    problem = nil
    do {
      guard let url = URL(string: "\(service.server)/login") else { throw URLError(.badURL) }
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONEncoder().encode(["name": name, "password": password])
      let (body, response) = try await URLSession.shared.data(for: request)
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      guard status == 200 else {
        problem = status == 401 ? "The name or the password is wrong." : "The server answered \(status)."
        return
      }
      keep(Session(user: name, token: String(decoding: body, as: UTF8.self)))
    } catch {
      problem = error.localizedDescription
    }
  }

  /// Forgets the session.
  func logOut() { keep(nil) }

  private func keep(_ session: Session?) {
    self.session = session
    store.save(session)
  }
}
