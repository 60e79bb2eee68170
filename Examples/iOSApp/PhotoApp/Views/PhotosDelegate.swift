// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(UIKit)
  import Foundation
  import StorageBackground
  import UIKit

  /// The delegate of the app, which owns the background session, because the system starts the app for its events.
  final class PhotosDelegate: NSObject, UIApplicationDelegate {
    let uploads = SystemUploads(configuration: .background(withIdentifier: "com.example.photos"))

    func application(
      _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
      completionHandler: @escaping () -> Void
    ) {
      uploads.transfers.whenEventsAreDelivered { completionHandler() }
    }
  }
#endif
