print("storage-auth")
