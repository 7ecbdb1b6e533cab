// AppStoreTraffic.
