import HTTPTypes
import S3Auth
import StorageAuth
