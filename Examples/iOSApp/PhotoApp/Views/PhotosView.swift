// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import StorageClient
  import SwiftUI

  /// The whole app: the login and, after it, the user's photos.
  struct PhotosView: View {
    let login: LoginModel
    let background: any BackgroundUploads

    var body: some View {
      NavigationStack {
        if let session = login.session {
          SessionView(session: session, login: login, background: background).id(session)
        } else {
          LoginView(model: login)
        }
      }
    }
  }

  /// The photos of a user, with a model that lives as long as the session.
  private struct SessionView: View {
    let login: LoginModel
    @State private var photos: PhotoModel

    init(session: Session, login: LoginModel, background: any BackgroundUploads) {
      self.login = login
      let store = login.service.photos(of: session, over: .platformDefault)
      _photos = State(initialValue: PhotoModel(store, folder: session.folder, background: background))
    }

    var body: some View {
      PhotoList(model: photos).toolbar { Button("Log Out", systemImage: "person") { login.logOut() } }
    }
  }
#endif
