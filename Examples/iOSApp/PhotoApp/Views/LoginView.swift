// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import SwiftUI

  /// The form with which a user logs in.
  struct LoginView: View {
    let model: LoginModel
    @State private var name = ""
    @State private var password = ""

    var body: some View {
      Form {
        TextField("Name", text: $name).textContentType(.username)
        SecureField("Password", text: $password).textContentType(.password)
        Button("Log In", systemImage: "person") { Task { await model.logIn(name, password: password) } }
        if let problem = model.problem { Text(problem).foregroundStyle(.red) }
      }
    }
  }
#endif
