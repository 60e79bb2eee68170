// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(UIKit)
  import SwiftUI

  /// The app whose photos are in Alibaba Cloud OSS.
  @main
  struct OSSPhotos: App {
    @UIApplicationDelegateAdaptor private var delegate: PhotosDelegate
    @State private var login = LoginModel(
      PhotoService(
        server: "https://app.example.com", provider: .oss, bucket: "photos", region: "cn-hangzhou"),
      store: KeychainSessions())

    var body: some Scene {
      WindowGroup { PhotosView(login: login, background: delegate.uploads) }
    }
  }
#endif
