// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(UIKit)
  import SwiftUI

  /// The app whose photos are in Tencent Cloud COS.
  @main
  struct COSPhotos: App {
    @UIApplicationDelegateAdaptor private var delegate: PhotosDelegate
    @State private var login = LoginModel(
      PhotoService(
        server: "https://app.example.com", provider: .cos, bucket: "photos-1250000000", region: "ap-guangzhou"),
      store: KeychainSessions())

    var body: some Scene {
      WindowGroup { PhotosView(login: login, background: delegate.uploads) }
    }
  }
#endif
