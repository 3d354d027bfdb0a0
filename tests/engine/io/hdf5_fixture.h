#pragma once

#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <hdf5.h>

namespace flcc::test {

/// An HDF5 file that is written by the library.
class Hdf5Writer {
  public:
    explicit Hdf5Writer(const std::filesystem::path& path)
        : m_file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
    explicit Hdf5Writer(hid_t file) : m_file(file) {}
    ~Hdf5Writer() { H5Fclose(m_file); }
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;

    /// A file that is there, for further datasets.
    static hid_t open(const std::filesystem::path& path) {
        return H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    }
    [[nodiscard]] hid_t file() const { return m_file; }

    /// A dataset of `stored` type with the values 0, 1, 2, ...; with `chunk` packed in chunks.
    hid_t add(const char* name, hid_t stored, const std::vector<hsize_t>& sizes,
              const std::vector<hsize_t>& chunk = {}) const {
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        if (!chunk.empty()) {
            H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
            H5Pset_deflate(creation, 1);
        }
        const hid_t links = H5Pcreate(H5P_LINK_CREATE);
        H5Pset_create_intermediate_group(links, 1);
        const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
        const hid_t dataset = H5Dcreate2(m_file, name, stored, space, links, creation, H5P_DEFAULT);
        const hsize_t count =
            std::accumulate(sizes.begin(), sizes.end(), hsize_t{1}, std::multiplies<>());
        std::vector<double> values(count);
        std::iota(values.begin(), values.end(), 0.0);
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Sclose(space);
        H5Pclose(links);
        H5Pclose(creation);
        return dataset;
    }
    /// A dataset of `stored` type with these values.
    template <class Value>
    hid_t addValues(const char* name, hid_t stored, hid_t memory, const std::vector<hsize_t>& sizes,
                    const std::vector<Value>& values) const {
        const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
        const hid_t links = H5Pcreate(H5P_LINK_CREATE);
        H5Pset_create_intermediate_group(links, 1);
        const hid_t dataset =
            H5Dcreate2(m_file, name, stored, space, links, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Pclose(links);
        H5Sclose(space);
        return dataset;
    }
    /// An attribute of texts, one an axis of the dataset.
    static void texts(hid_t dataset, const char* name, const std::vector<const char*>& values) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        const hsize_t count = values.size();
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        const hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, values.data());
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(type);
    }
    /// An attribute of single letters, as Imaris writes them.
    static void letters(hid_t object, const char* name, const std::string& value) {
        const hsize_t count = value.size();
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        const hid_t attribute = H5Acreate2(object, name, H5T_C_S1, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_C_S1, value.data());
        H5Aclose(attribute);
        H5Sclose(space);
    }
    static void numbers(hid_t dataset, const char* name, const std::vector<double>& values) {
        const hsize_t count = values.size();
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        const hid_t attribute =
            H5Acreate2(dataset, name, H5T_IEEE_F64BE, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data());
        H5Aclose(attribute);
        H5Sclose(space);
    }
    static void text(hid_t dataset, const char* name, const char* value, bool variable) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, variable ? H5T_VARIABLE : std::strlen(value));
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        if (variable) {
            H5Awrite(attribute, type, &value);
        } else {
            H5Awrite(attribute, type, value);
        }
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(type);
    }

  private:
    hid_t m_file;
};

} // namespace flcc::test
